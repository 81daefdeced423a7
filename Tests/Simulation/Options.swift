/// The command line of `simulate`.
struct Options {
    var seed: UInt64 = 1
    var runs: UInt64 = 1000
    var mutation: Mutation?
    /// Plays with topics of devices beside the journals.
    var hasFeedTopics = false
    /// Plays histories in which all brokers lose power.
    var hasPowerCuts = false
    /// Plays histories in which delivery policies hold notifications.
    var hasPolicies = false
    /// What else its histories have.
    var extras = Extras()
    /// The histories with push senders; nil for one of four.
    var hasPushes: Bool?
    /// The histories on a weak store; nil for every other one.
    var isWeak: Bool?
    var isTraced = false
    /// Plays each history twice and compares.
    var isTwice = false
    /// Names the histories that fail, one a line, and goes on.
    var isSurvey = false

    init(_ arguments: some Sequence<String>) {
        var rest = Array(arguments)
        while !rest.isEmpty {
            switch rest.removeFirst() {
            case "--seed": seed = UInt64(rest.removeFirst()) ?? seed
            case "--runs": runs = UInt64(rest.removeFirst()) ?? runs
            case "--mutation": mutation = Mutation(rawValue: rest.removeFirst())
            case "--feed-topics": hasFeedTopics = true
            case "--power-cuts": hasPowerCuts = true
            case "--policies": hasPolicies = true
            case "--databases": extras.hasDatabases = true
            case "--losses": extras.hasLosses = true
            case "--copied-store": extras.hasCopiedStore = true
            case "--pushes": hasPushes = rest.removeFirst() == "always"
            case "--store": isWeak = rest.removeFirst() == "weak"
            case "--trace": isTraced = true
            case "--survey": isSurvey = true
            case "--twice": isTwice = true
            default: break
            }
        }
    }
}
