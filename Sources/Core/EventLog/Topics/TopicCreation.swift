/// The result of asking for a topic.
package enum TopicCreation: Hashable, Sendable {
    case created
    /// A topic of that name was there; whether it is configured as wished is for `topics verify` to say.
    case existed
    /// It could not be made; others of the same request may have been.
    case failed(LogError)
}
