import CCurl

/// An easy handle and the request that it carries; used for one request after another. Of the client's thread only.
/// libcurl holds it unretained.
final class MultiplexedTransfer {
    /// The reason why we stopped libcurl, which its code would not show.
    enum Interruption {
        /// The connection has no place: the request has not been sent.
        case windowFull
        /// The server refused the stream.
        case refused
        /// The connection ended without an answer.
        case lost
        /// The rest of the answer is not wanted.
        case bodyCut
        case headTooLarge
    }

    private static let headBytesMaximum = 16 << 10
    private static let reportsRefusals = curl_reports_refusals() != 0

    let easy: UnsafeMutableRawPointer
    private(set) var transfer: Transfer!
    private(set) var queue: OriginQueue!
    private(set) var deadline = ContinuousClock.now
    private(set) var interruption: Interruption?
    /// The lines of the answer's head; its memory is used again.
    private var head: [UInt8] = []
    private(set) var received: [UInt8] = []
    /// The connection on which the request was sent; nil while it was not.
    private(set) var connection: Int?
    /// All addresses that were tried are forbidden.
    private(set) var isForbidden = false
    private(set) var opensConnection = false

    private var headBytes = 0
    private var progress = 0
    private var bodyBytesMaximum = 0
    private var headerList: UnsafeMutablePointer<curl_slist>?
    private var resolutionList: UnsafeMutablePointer<curl_slist>?
    private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    private unowned let loop: MultiplexedLoop

    /// Nil without memory.
    init?(loop: MultiplexedLoop) {
        guard let easy = curl_easy_init() else { return nil }
        self.easy = easy
        self.loop = loop
        configure(loop.configuration)
    }

    deinit {
        curl_easy_cleanup(easy)
        curl_slist_free_all(headerList)
        curl_slist_free_all(resolutionList)
        errorText.deallocate()
    }

    /// The fields of the answer.
    var headers: HTTPClientHeaders { HTTPClientHeaders(lines: head.withUnsafeBufferPointer { Array($0) }) }

    /// The words of libcurl about a failure.
    var detail: String { String(cString: errorText) }

    /// True if nothing came on the connection since the request was sent.
    var isSilent: Bool { connection != nil && connection == queue.connection && progress == queue.progress }

    /// Takes a request, which is then added to the multi handle.
    func begin(
        _ transfer: Transfer, _ queue: OriginQueue, deadline: ContinuousClock.Instant, now: ContinuousClock.Instant
    ) {
        self.transfer = transfer
        self.queue = queue
        self.deadline = deadline
        interruption = nil
        head.removeAll(keepingCapacity: true)
        received = []
        connection = nil
        isForbidden = false
        opensConnection = false
        headBytes = 0
        errorText.pointee = 0
        let request = transfer.request
        bodyBytesMaximum = min(request.responseBytesMaximum, loop.configuration.responseBytesMaximum)
        curl_set_string(easy, CURLOPT_URL, request.url)
        curl_set_long(easy, CURLOPT_TIMEOUT_MS, max(1, (deadline - now).milliseconds))
        curl_set_long(easy, CURLOPT_FRESH_CONNECT, queue.needsConnection || queue.isHungUp ? 1 : 0)
        queue.needsConnection = false
        if case .bytes(let bytes) = request.body {
            request.setMethod(of: easy, bodyBytes: bytes.count)
            if !bytes.isEmpty { curl_set_copied_body(easy, bytes) }
        } else {
            request.setMethod(of: easy, bodyBytes: 0)
        }
        curl_slist_free_all(headerList)
        headerList = request.headerList
        curl_set_headers(easy, headerList)
        if let resolutions = loop.configuration.resolutions {
            curl_slist_free_all(resolutionList)
            resolutionList = resolutions().reduce(nil) { curl_slist_append($0, $1) }
            curl_set_pointer(easy, CURLOPT_RESOLVE, resolutionList)
        }
    }

    /// Lets go of the request.
    func end() {
        transfer = nil
        queue = nil
    }

    private func configure(_ configuration: MultiplexingConfiguration) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        curl_set_callbacks(easy, context, receiveBody, receiveHeader, nil, nil)
        curl_set_connection_callbacks(easy, context, openSocket, admitRequest)
        curl_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText)
        curl_set_long(easy, CURLOPT_PATH_AS_IS, 1)
        // A guard decides about URLs before.
        curl_set_string(easy, CURLOPT_PROTOCOLS_STR, "http,https")
        curl_set_string(easy, CURLOPT_PROXY, "")
        curl_set_long(easy, CURLOPT_FOLLOWLOCATION, 0)
        // Not prior knowledge: with that, libcurl 7.88 breaks a connection at its second request.
        curl_set_long(easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS)
        curl_set_long(easy, CURLOPT_PIPEWAIT, 1)
        // Servers of pushes want connections that stay; libcurl leaves those that were idle for two minutes.
        curl_set_long(easy, CURLOPT_MAXAGE_CONN, 3600)
        curl_set_long(easy, CURLOPT_TCP_KEEPALIVE, 1)
        curl_set_long(easy, CURLOPT_NOSIGNAL, 1)
        // Else the end of a request waits for the look-up of its host's name, and all other requests with it.
        curl_set_long(easy, CURLOPT_QUICK_EXIT, 1)
        curl_set_long(easy, CURLOPT_NOPROGRESS, 1)
        curl_set_long(easy, CURLOPT_CONNECTTIMEOUT_MS, max(1, configuration.connectTimeout.milliseconds))
        curl_set_string(easy, CURLOPT_USERAGENT, configuration.userAgent)
        curl_set_long(easy, CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
        if let file = configuration.caFile { curl_set_string(easy, CURLOPT_CAINFO, file) }
        if let certificate = configuration.clientCertificate {
            curl_set_string(easy, CURLOPT_SSLCERT, certificate.certificateFile)
            curl_set_string(easy, CURLOPT_SSLKEY, certificate.keyFile ?? certificate.certificateFile)
        }
    }
}

// MARK: Callbacks, on the client's thread

extension MultiplexedTransfer {
    /// Decides whether libcurl may connect to an address: here nothing lies between the check and the connection.
    fileprivate func open(_ address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
        if connection != nil {
            interruptRepetition()
            return CURL_SOCKET_BAD
        }
        if let guarding = loop.guarding, !guarding.allows(NetworkAddress(address)) {
            isForbidden = !opensConnection
            return CURL_SOCKET_BAD
        }
        guard queue.opensSocket(for: transfer.identity, turn: loop.turn) else { return CURL_SOCKET_BAD }
        isForbidden = false
        if !opensConnection {
            loop.log.append(.now)
            loop.configuration.connecting?()
        }
        opensConnection = true
        queue.socket = curl_open_socket(address)
        return queue.socket
    }

    /// Called before the request is sent; false stops it.
    fileprivate func admit() -> Bool {
        if connection != nil {
            interruptRepetition()
            return false
        }
        guard queue.window.admit(on: queue.connection) else {
            interruption = .windowFull
            return false
        }
        connection = queue.connection
        progress = queue.progress
        return true
    }

    /// libcurl would send the request once more: after a refused stream, or after a connection that ended without a
    /// byte of the answer. Only the end leaves an error's text, and only in HTTP/2 before libcurl 8.
    private func interruptRepetition() {
        guard interruption == nil else { return }
        interruption = Self.reportsRefusals && errorText.pointee == 0 && !queue.speaksHTTP1 ? .refused : .lost
    }

    fileprivate func receive(headerLine line: UnsafeRawBufferPointer) -> Int {
        queue.progress &+= 1
        headBytes += line.count
        guard headBytes <= Self.headBytesMaximum else {
            interruption = .headTooLarge
            return 0
        }
        if line.first == UInt8(ascii: "H"), line.starts(with: "HTTP/".utf8) {
            head.removeAll(keepingCapacity: true)
            queue.speaksHTTP1 = line.starts(with: "HTTP/1".utf8)
        } else if line.first != 0x0D && line.first != 0x0A {
            head.append(contentsOf: line)
            if line.last != 0x0A { head.append(0x0A) }
        }
        return line.count
    }

    fileprivate func receive(body bytes: UnsafeRawBufferPointer) -> Int {
        queue.progress &+= 1
        let space = bodyBytesMaximum - received.count
        received.append(contentsOf: bytes.prefix(space))
        guard bytes.count <= space else {
            interruption = .bodyCut
            return 0
        }
        return bytes.count
    }
}

private func carried(_ context: UnsafeMutableRawPointer?) -> MultiplexedTransfer? {
    context.map { Unmanaged<MultiplexedTransfer>.fromOpaque($0).takeUnretainedValue() }
}

private func receiveBody(
    bytes: UnsafeMutablePointer<CChar>?, size: Int, count: Int, context: UnsafeMutableRawPointer?
) -> Int {
    carried(context)?.receive(body: UnsafeRawBufferPointer(start: bytes, count: size * count)) ?? 0
}

private func receiveHeader(
    bytes: UnsafeMutablePointer<CChar>?, size: Int, count: Int, context: UnsafeMutableRawPointer?
) -> Int {
    carried(context)?.receive(headerLine: UnsafeRawBufferPointer(start: bytes, count: size * count)) ?? 0
}

private func openSocket(
    context: UnsafeMutableRawPointer?, purpose: curlsocktype, address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    guard let address, let carried = carried(context) else { return CURL_SOCKET_BAD }
    return carried.open(address)
}

private func admitRequest(
    context: UnsafeMutableRawPointer?, remoteAddress: UnsafeMutablePointer<CChar>?,
    localAddress: UnsafeMutablePointer<CChar>?, remotePort: Int32, localPort: Int32
) -> Int32 {
    carried(context)?.admit() == true ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
}
