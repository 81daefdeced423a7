import EventLog
import KafkaClient
import Synchronization

/// The client for metadata of the cluster: replaced after it has met many topics, as librdkafka keeps the metadata of
/// each until the client ends.
final class AskingAdmins: Sendable {
    /// A question is given up after this time: for an answer that comes later, nobody waits any more.
    private static let timeout = Duration.seconds(5)

    private struct State {
        var admin: KafkaAdmin
        var met = TopicTally()
    }

    private let configuration: KafkaConfiguration
    private let state: Mutex<State>

    init(_ configuration: KafkaConfiguration) throws(KafkaError) {
        self.configuration = configuration
        state = Mutex(State(admin: try KafkaAdmin(configuration, timeout: Self.timeout)))
    }

    /// Returns the client for a question about these topics.
    func admin(for topics: [TopicName] = []) -> KafkaAdmin {
        state.withLock { state in
            guard state.met.add(topics), let next = try? KafkaAdmin(configuration, timeout: Self.timeout) else {
                return state.admin
            }
            // The former one ends when the last question that it was asked is answered.
            state = State(admin: next)
            _ = state.met.add(topics)
            return next
        }
    }

    func close() async { await state.withLock(\.admin).close() }
}
