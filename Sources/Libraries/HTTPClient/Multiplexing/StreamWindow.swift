/// The number of requests that may be on a connection at once, as a value.
///
/// libcurl opens streams before the server's first SETTINGS have arrived and does not report them. So a connection
/// begins with one request, and each answer doubles the number.
struct StreamWindow {
    private(set) var size = 1
    /// The requests on the connection that are not answered.
    private(set) var inFlight = 0
    private let maximum: Int
    /// The number of the newest connection.
    private var connection = 0

    init(maximum: Int) { self.maximum = max(1, maximum) }

    /// Takes a request onto a connection; returns false when it is full. Connections are numbered as they are made.
    mutating func admit(on connection: Int) -> Bool {
        if connection != self.connection {
            self.connection = connection
            inFlight = 0
            size = 1
        }
        guard inFlight < size else { return false }
        inFlight += 1
        return true
    }

    /// An admitted request is over, with or without an answer.
    mutating func leave(_ connection: Int) {
        if connection == self.connection { inFlight -= 1 }
    }

    mutating func answered() { size = min(maximum, size * 2) }

    mutating func failed() { size = 1 }
}
