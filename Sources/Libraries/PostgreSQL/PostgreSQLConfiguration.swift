/// The server, and the settings that connections are opened with.
package struct PostgreSQLConfiguration: Sendable {
    /// The demand on the transport.
    package enum Transport: Sendable, Equatable {
        /// As the address has it (`sslmode`); libpq takes TLS where the server has it, and checks no certificate.
        case asAddressed
        /// TLS, with a certificate for the host's name that one of the authorities in a PEM file signed; nil for
        /// libpq's own file (`~/.postgresql/root.crt`).
        case verified(rootCertificate: String?)
    }

    /// A URL (`postgresql://…`) or a connection string of libpq, with one or several hosts.
    package var address: String
    /// The name in `pg_stat_activity`, unless the address has one.
    package var applicationName: String
    /// The demand on the session, such as `read-write`; nil for the one of the address (`target_session_attrs`).
    package var target: String?
    /// The demand on the transport.
    package var transport: Transport
    /// Parameters that are set at opening, in order, such as `jit` to `off`.
    package var session: [(name: String, value: String)]
    /// The longest that one host may take, unless the address has a `connect_timeout`.
    package var connectTimeout: Duration
    /// The longest that an answer may take, from the flush to its last byte; of a copy, for each chunk.
    package var answerTimeout: Duration
    /// The most bytes of one answer, of all statements of a flush together.
    package var answerBytesMaximum: Int
    /// The most bytes that statements may queue for one flush.
    package var queueBytesMaximum: Int
    /// The time after which a peer that acknowledges nothing is lost; keepalives begin after as long a silence.
    package var silenceTimeout: Duration
    /// Called with warnings and notices of the server, on the connection's thread.
    package var notice: @Sendable (PostgreSQLNotice) -> Void

    package init(
        address: String, applicationName: String = "fanfare", target: String? = nil,
        transport: Transport = .asAddressed, session: [(name: String, value: String)] = [],
        connectTimeout: Duration = .seconds(5), answerTimeout: Duration = .seconds(30),
        answerBytesMaximum: Int = 256 << 20, queueBytesMaximum: Int = 64 << 20,
        silenceTimeout: Duration = .seconds(5), notice: @escaping @Sendable (PostgreSQLNotice) -> Void = { _ in }
    ) {
        self.address = address
        self.applicationName = applicationName
        self.target = target
        self.transport = transport
        self.session = session
        self.connectTimeout = connectTimeout
        self.answerTimeout = answerTimeout
        self.answerBytesMaximum = answerBytesMaximum
        self.queueBytesMaximum = queueBytesMaximum
        self.silenceTimeout = silenceTimeout
        self.notice = notice
    }
}
