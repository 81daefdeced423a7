import CCurl

/// A transfer in libcurl: its easy handle and the received part. Used on the client's thread only; libcurl holds it
/// unretained while it is in the loop's table.
final class ActiveTransfer {
    let transfer: Transfer
    let easy: UnsafeMutableRawPointer
    /// The destination of a stream's bytes, once its head has come.
    private(set) var channel: HTTPClientStream.Channel?
    /// The reason why we stopped libcurl, which its code would not show.
    private(set) var failure: HTTPClientError?
    private(set) var headers = HTTPClientHeaders()
    private(set) var received: [UInt8] = []
    /// The time at which a stream has been silent for too long; moves with every byte.
    private(set) var deadline: ContinuousClock.Instant?

    private var body: RequestBody
    private var headerList: UnsafeMutablePointer<curl_slist>?
    private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    private unowned let loop: ClientLoop

    init(_ transfer: Transfer, easy: UnsafeMutableRawPointer, body: RequestBody, loop: ClientLoop) {
        self.transfer = transfer
        self.easy = easy
        self.body = body
        self.loop = loop
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        if transfer.isStream { deadline = .now + transfer.request.timeout }
        configure()
    }

    deinit {
        body.close()
        curl_slist_free_all(headerList)
        errorText.deallocate()
    }

    /// The words of libcurl about a failure.
    var detail: String { String(cString: errorText) }
}

// MARK: Sending

extension ActiveTransfer {
    private func configure() {
        let request = transfer.request
        let configuration = loop.configuration
        curl_set_callbacks(
            easy, Unmanaged.passUnretained(self).toOpaque(), receiveBody, receiveHeader, sendBody, rewindBody)
        curl_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText)
        curl_set_string(easy, CURLOPT_URL, request.url)
        curl_set_long(easy, CURLOPT_PATH_AS_IS, 1)
        curl_set_string(easy, CURLOPT_PROTOCOLS_STR, "http,https")
        curl_set_long(easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
        curl_set_long(easy, CURLOPT_NOSIGNAL, 1)
        curl_set_long(easy, CURLOPT_NOPROGRESS, 1)
        curl_set_long(easy, CURLOPT_CONNECTTIMEOUT_MS, max(1, configuration.connectTimeout.milliseconds))
        curl_set_string(easy, CURLOPT_USERAGENT, configuration.userAgent)
        if let file = configuration.caFile { curl_set_string(easy, CURLOPT_CAINFO, file) }
        if transfer.isStream {
            // A connection that carries a stream is seldom left for another, and looking for a free one walks them all.
            curl_set_long(easy, CURLOPT_FRESH_CONNECT, 1)
        } else {
            curl_set_long(easy, CURLOPT_TIMEOUT_MS, max(1, request.timeout.milliseconds))
            curl_set_offset(easy, CURLOPT_MAXFILESIZE_LARGE, curl_off_t(request.responseBytesMaximum))
            if request.redirectsMaximum > 0 {
                curl_set_long(easy, CURLOPT_FOLLOWLOCATION, 1)
                curl_set_long(easy, CURLOPT_MAXREDIRS, request.redirectsMaximum)
                curl_set_string(easy, CURLOPT_REDIR_PROTOCOLS_STR, "http,https")
            }
        }
        request.setMethod(of: easy, bodyBytes: body.count)
        request.setSignature(of: easy)
        headerList = request.headerList
        curl_set_headers(easy, headerList)
    }

    fileprivate func send(into target: UnsafeMutableRawBufferPointer) -> Int {
        let count = body.read(into: target)
        return count < 0 ? Int(CURL_READFUNC_ABORT) : count
    }

    fileprivate func rewind(to position: Int) { body.rewind(to: position) }
}

// MARK: Receiving

extension ActiveTransfer {
    /// One line of a head. A head follows another after a status of 100 and after a redirection.
    fileprivate func receive(headerLine line: UnsafeRawBufferPointer) {
        if line.starts(with: "HTTP/".utf8) {
            headers = HTTPClientHeaders()
        } else if line.first == 0x0D || line.first == 0x0A {
            if transfer.isStream && curl_get_status(easy) >= 200 { beginStream() }
        } else {
            headers.append(line: line)
        }
    }

    private func beginStream() {
        guard channel == nil else { return }
        let identity = transfer.identity
        let inbox = loop.inbox
        let channel = HTTPClientStream.Channel(bytesMaximum: loop.configuration.streamBufferBytesMaximum) {
            inbox.send(.goOn(identity))
        }
        self.channel = channel
        noteProgress()
        let stream = HTTPClientStream(status: curl_get_status(easy), headers: headers, channel: channel) {
            inbox.send(.cancel(identity))
        }
        transfer.reply(.success(.stream(stream)))
    }

    /// Returns the number to give libcurl: as many as came, fewer to make it stop, or the one to pause.
    fileprivate func receive(body bytes: UnsafeRawBufferPointer) -> Int {
        if transfer.isStream {
            guard let channel else { return bytes.count }
            noteProgress()
            if channel.offer(bytes) { return bytes.count }
            deadline = nil
            return Int(CURL_WRITEFUNC_PAUSE)
        }
        guard received.count + bytes.count <= transfer.request.responseBytesMaximum else {
            failure = HTTPClientError(tooLarge: transfer.request)
            return 0
        }
        received.append(contentsOf: bytes)
        return bytes.count
    }

    private func noteProgress() { deadline = transfer.request.silenceMaximum.map { .now + $0 } }

    /// The consumer caught up: libcurl delivers what it kept, and reads on.
    func goOn() {
        noteProgress()
        curl_easy_pause(easy, CURLPAUSE_CONT)
    }
}

// MARK: Callbacks, on the client's thread

private func active(_ context: UnsafeMutableRawPointer?) -> ActiveTransfer? {
    context.map { Unmanaged<ActiveTransfer>.fromOpaque($0).takeUnretainedValue() }
}

private func receiveBody(
    bytes: UnsafeMutablePointer<CChar>?, size: Int, count: Int, context: UnsafeMutableRawPointer?
) -> Int {
    active(context)?.receive(body: UnsafeRawBufferPointer(start: bytes, count: size * count)) ?? 0
}

private func receiveHeader(
    bytes: UnsafeMutablePointer<CChar>?, size: Int, count: Int, context: UnsafeMutableRawPointer?
) -> Int {
    active(context)?.receive(headerLine: UnsafeRawBufferPointer(start: bytes, count: size * count))
    return size * count
}

private func sendBody(
    target: UnsafeMutablePointer<CChar>?, size: Int, count: Int, context: UnsafeMutableRawPointer?
) -> Int {
    active(context)?.send(into: UnsafeMutableRawBufferPointer(start: target, count: size * count))
        ?? Int(CURL_READFUNC_ABORT)
}

private func rewindBody(context: UnsafeMutableRawPointer?, offset: curl_off_t, origin: Int32) -> Int32 {
    guard origin == SEEK_SET, let active = active(context) else { return CURL_SEEKFUNC_CANTSEEK }
    active.rewind(to: Int(offset))
    return CURL_SEEKFUNC_OK
}
