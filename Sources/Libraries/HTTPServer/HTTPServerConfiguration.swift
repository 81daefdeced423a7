/// The address that a server listens on, and its limits.
package struct HTTPServerConfiguration: Sendable {
    /// The files of a server's identity, in PEM. HTTP/2 is left to a proxy in front.
    package struct TLS: Sendable {
        /// The certificate, followed by those of its issuers.
        package var certificateFile: String
        /// The private key, without a password.
        package var keyFile: String

        /// The paths of both, which are read at the start, and by `HTTPServer.renewCertificate`.
        package init(certificateFile: String, keyFile: String) {
            self.certificateFile = certificateFile
            self.keyFile = keyFile
        }
    }

    /// A name or an address of this machine; `0.0.0.0` for all of IPv4, `::` for all of both.
    package var host: String = "127.0.0.1"
    /// The port, 0 for any free one, which `HTTPServer.port` returns.
    package var port: Int = 0
    /// TLS 1.2 and 1.3 when set.
    package var tls: TLS?
    /// The value of the header `Server` of every answer; nil for none.
    package var serverName: String?
    /// Threads that read requests, call the handler and write answers. Never under 8, also on two cores: waking a held
    /// answer walks all held ones of its worker.
    package var workers: Int = 8
    /// The most connections that may be open; requests on further ones are answered `tooManyConnections`. Each takes a
    /// descriptor and, once it has answered, `memoryPerConnection` bytes.
    package var connectionsMaximum: Int = 12_000
    /// The most connections that one address may have open (`ClientAddress.network`); further ones are closed at once.
    /// Nil for a quarter of `connectionsMaximum`.
    package var connectionsPerAddressMaximum: Int?
    /// The names that `Host` may have; nil for any.
    package var hosts: HostNames?
    /// Indicates whether 127.0.0.1 and ::1 have shares as all others do. Proxies and tools, which speak for many,
    /// connect from there.
    package var countsLoopback = false
    /// The proxies whose `X-Forwarded-For` is believed; empty for none.
    package var trustedProxies: [AddressRange] = []
    /// Bytes for the headers of a request and of its answer, at least twice `headerBytesMaximum`.
    package var memoryPerConnection: Int = 16 << 10
    /// The size of request line and headers together, in bytes.
    package var headerBytesMaximum: Int = 8 << 10
    /// The number of header fields.
    package var headersMaximum: Int = 100
    /// No body is larger, whatever an admission says.
    package var bodyBytesMaximum: Int = 64 << 20
    /// Bytes of all requests' bodies in memory together, from their arrival to the answer; a body without room is
    /// refused with `bodiesTooLarge`, before it is read if possible. Bodies over 256 KiB leave a quarter to smaller
    /// ones. One account of the handler may have a quarter (but one whole body), one address half.
    package var bodiesBytesMaximum: Int = 128 << 20
    /// Bytes of all answers in memory together that clients have not read yet, of one account a quarter, of one address
    /// half; what finds no room is written to a file.
    package var answersBytesMaximum: Int = 64 << 20
    /// The directory for files of answers, each without a name and gone with its connection.
    package var answersDirectory: String = "/tmp"
    /// The kernel's buffer for a stream, in bytes: what a reader that does not read costs there.
    package var streamSendBufferBytes: Int = 32 << 10
    /// The times that a client may take.
    package var timeouts = HTTPServerTimeouts()
    /// Called with events for operators, on the server's own threads; must not block.
    package var log: @Sendable (HTTPServerEvent) -> Void = { _ in }

    /// Makes a configuration that suits a service on one machine: every value can be changed.
    package init() {}
}

extension HTTPServerConfiguration {
    /// The connections above the maximum that are accepted to be answered with 503; further ones are closed at once.
    var connectionsReserve: Int { max(64, connectionsMaximum / 16) }

    /// The connections below the maximum from which on the longest resting ones are closed; none if the maximum is
    /// small.
    var connectionsHeadroom: Int { connectionsMaximum / 16 }

    var connectionsPerAddress: Int { connectionsPerAddressMaximum ?? max(1, connectionsMaximum / 4) }

    /// The address that a share is kept for; nil where none is.
    func shareholder(_ client: ClientAddress?) -> ClientAddress? {
        guard let client, countsLoopback || !client.isLocalhost else { return nil }
        return client.network
    }

    /// Throws `HTTPServerError` naming the first value that cannot be, and what could.
    func validate() throws {
        func require(_ condition: Bool, _ message: @autoclosure () -> String) throws {
            if !condition { throw HTTPServerError(.configuration, "Cannot start the HTTP server: \(message())") }
        }
        try require((0...65_535).contains(port), "port \(port) is not between 0 and 65535.")
        try require((8...256).contains(workers), "\(workers) workers; use 8 to 256.")
        try require(connectionsMaximum > 0, "connectionsMaximum is \(connectionsMaximum); allow at least one.")
        try require(
            headerBytesMaximum >= 512 && memoryPerConnection >= 2 * headerBytesMaximum,
            "memoryPerConnection \(memoryPerConnection) is under twice headerBytesMaximum \(headerBytesMaximum); "
                + "raise the first or lower the second (at least 512).")
        try require(
            connectionsPerAddress > 0, "connectionsPerAddressMaximum is \(connectionsPerAddress); allow at least one.")
        try require(headersMaximum > 0, "headersMaximum is \(headersMaximum); allow at least one.")
        try require(bodyBytesMaximum >= 0, "bodyBytesMaximum is \(bodyBytesMaximum); use 0 or more.")
        try require(
            bodiesBytesMaximum / 4 * 3 >= bodyBytesMaximum,
            "bodiesBytesMaximum \(bodiesBytesMaximum) has no room for a body of bodyBytesMaximum \(bodyBytesMaximum); "
                + "make it at least one and a half times that.")
        try require(answersBytesMaximum >= 0, "answersBytesMaximum is \(answersBytesMaximum); use 0 or more.")
        try require(streamSendBufferBytes >= 4 << 10, "streamSendBufferBytes is under 4096.")
        let durations = [timeouts.idle, timeouts.headers, timeouts.body, timeouts.answer]
        try require(durations.allSatisfy { $0 > .zero }, "a timeout is not above zero.")
        try require(timeouts.idle >= .seconds(1), "the idle timeout is under one second.")
        try require(timeouts.bodyBytesPerSecondMinimum > 0, "bodyBytesPerSecondMinimum is not above zero.")
        try require(timeouts.answerBytesPerSecondMinimum > 0, "answerBytesPerSecondMinimum is not above zero.")
    }
}
