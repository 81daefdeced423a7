import KafkaClient
import Testing

@testable import struct KafkaClient.TransactionState

@Suite("Where a transactional producer stands")
struct TransactionStateTests {
    private let plain = KafkaError(code: 1, name: "PLAIN", message: "")
    private let abort = KafkaError(code: 2, name: "ABORT", message: "", requiresAbort: true)
    private let retriable = KafkaError(code: 3, name: "RETRIABLE", message: "", isRetriable: true)
    private let fatal = KafkaError(code: 4, name: "FATAL", message: "", isFatal: true)
    /// PRODUCER_FENCED in Kafka's protocol.
    private let fenced = KafkaError(code: 90, name: "PRODUCER_FENCED", message: "", isFatal: true)

    private func open() throws -> (TransactionState, Int) {
        var state = TransactionState()
        for operation in [TransactionState.Operation.initialise, .begin] {
            #expect(state.finish(operation, of: try state.start(operation), nil) == nil)
        }
        return (state, try state.start(.send))
    }

    @Test("a commit that fails is abortable only if librdkafka says so; of all others the outcome is not known")
    func commit() throws {
        for (error, expected) in [
            (abort, KafkaTransactionError.abortable(abort)), (plain, .indefinite(plain)),
            (retriable, .indefinite(retriable)), (fatal, .indefinite(fatal)), (fenced, .fenced(fenced)),
        ] {
            var (state, _) = try open()
            let transaction = try state.start(.commit)
            #expect(state.finish(.commit, of: transaction, error) == expected)
            if case .abortable = expected {
                #expect(throws: expected) { _ = try state.start(.send) }
                _ = try state.start(.abort)
            } else {
                for operation in [TransactionState.Operation.begin, .send, .commit, .abort] {
                    #expect(throws: expected) { _ = try state.start(operation) }
                }
            }
        }
    }

    @Test("an abort that fails ends the producer, whatever the reason")
    func abortFails() throws {
        for error in [abort, plain, retriable] {
            var (state, _) = try open()
            #expect(state.finish(.abort, of: try state.start(.abort), error) == .indefinite(error))
            #expect(throws: KafkaTransactionError.indefinite(error)) { _ = try state.start(.begin) }
        }
    }

    @Test("a send that ends after its transaction leaves the next one alone")
    func lateSend() throws {
        var (state, first) = try open()
        _ = state.finish(.abort, of: try state.start(.abort), nil)
        _ = state.finish(.begin, of: try state.start(.begin), nil)
        #expect(state.finish(.send, of: first, plain) == .abortable(plain))
        let second = try state.start(.send)
        #expect(second == first + 1)
        #expect(state.finish(.send, of: second, plain) == .abortable(plain))
        #expect(throws: KafkaTransactionError.abortable(plain)) { _ = try state.start(.commit) }
    }

    @Test("nothing can be sent while a transaction is being ended")
    func ending() throws {
        var (state, _) = try open()
        let transaction = try state.start(.commit)
        for operation in [TransactionState.Operation.send, .sendOffsets, .commit, .abort, .begin] {
            #expect {
                _ = try state.start(operation)
            } throws: {
                if case .refused = $0 as? KafkaTransactionError { true } else { false }
            }
        }
        #expect(state.finish(.commit, of: transaction, nil) == nil)
        _ = try state.start(.begin)
    }
}
