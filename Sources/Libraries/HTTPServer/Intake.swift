import CMicroHTTPD

/// Decides by a request's head what becomes of it. Lives for one callback on the connection's worker.
struct Intake {
    /// A body up to this size is read and dropped so that its connection can go on after a refusal.
    private static let dropBytesMaximum = 64 << 10

    let core: ServerCore
    let connection: Connection
    let pointer: OpaquePointer

    /// The exchange of the request, and whether it is answered at once, before its body; none when its time was over.
    func begin(method: String, isHTTP10: Bool) -> (exchange: Exchange?, isAnswered: Bool) {
        let headers = readHeaders()
        let review = HeaderReview(headers, isHTTP10: isHTTP10)
        let framing = review.framing
        guard let target = connection.headersComplete(bodyFollows: framing != .none) else { return (nil, false) }
        if let refusal = refusal(method: method, target: target, headers: headers, review) {
            return settle(core.refusal(refusal), head: nil, framing, headers, closes: refusal.closesConnection)
        }
        guard let parsed = RequestTarget(target) else {
            return settle(core.refusal(.malformedTarget), head: nil, framing, headers)
        }
        let head = HTTPRequestHead(
            method: method, rawTarget: target, target: parsed, headers: headers,
            remoteAddress: connection.remoteAddress, bodyBytesAnnounced: framing.announced)
        switch core.handler.admit(head) {
        case .refuse(let response): return settle(response, head: head, framing, headers)
        case .body(let maximum): return admit(head, framing, maximum: maximum, directory: nil)
        case .file(let directory, let maximum): return admit(head, framing, maximum: maximum, directory: directory)
        }
    }

    /// What the server refuses without asking the handler.
    private func refusal(
        method: String, target: String, headers: HTTPHeaders, _ review: HeaderReview
    ) -> HTTPRefusal? {
        let configuration = core.configuration
        if core.stage > .running { return .stopping }
        if connection.isSurplus { return .tooManyConnections }
        if review.framing == .ambiguous { return .ambiguousLength }
        let size = method.utf8.count + target.utf8.count + headers.bytesTotal
        if size > configuration.headerBytesMaximum || headers.count > configuration.headersMaximum {
            return .headersTooLarge(maximumBytes: configuration.headerBytesMaximum)
        }
        guard review.isWellFormed, HTTPGrammar.isToken(method.utf8) else { return .malformedHeader }
        return nil
    }

    private func admit(
        _ head: HTTPRequestHead, _ framing: HeaderReview.Framing, maximum: Int, directory: String?
    ) -> (exchange: Exchange?, isAnswered: Bool) {
        let maximum = max(0, min(maximum, core.configuration.bodyBytesMaximum))
        if let announced = framing.announced, announced > maximum {
            let response = core.refusal(.bodyTooLarge(maximumBytes: maximum))
            return settle(response, head: head, framing, head.headers)
        }
        let collector: BodyCollector
        if let directory, framing != .none {
            do {
                collector = BodyCollector(file: try TemporaryFile(in: directory), maximumBytes: maximum)
            } catch {
                core.log(.error, "A body cannot be stored: \(error.reason).")
                let response = core.refusal(.bodyNotStored(reason: error.reason))
                return settle(response, head: head, framing, head.headers)
            }
        } else {
            guard let reservation = core.bodies.reserve(framing.announced ?? 0) else {
                return settle(core.refusal(.bodiesTooLarge), head: head, framing, head.headers)
            }
            collector = BodyCollector(maximumBytes: maximum, announced: framing.announced, reservation)
        }
        return (Exchange(core: core, connection: connection, head: head, collector: collector), false)
    }

    /// An answer that does not depend on the body: sent after a body that is none or small, else instead of reading it.
    private func settle(
        _ response: HTTPResponse, head: HTTPRequestHead?, _ framing: HeaderReview.Framing, _ headers: HTTPHeaders,
        closes: Bool = false
    ) -> (exchange: Exchange?, isAnswered: Bool) {
        let readsBody: Bool =
            switch framing {
            case .none: true
            case .length(let bytes): bytes <= Self.dropBytesMaximum && headers["expect"] == nil && !closes
            case .chunked, .ambiguous: false
            }
        let exchange = Exchange(
            core: core, connection: connection, head: head, collector: BodyCollector(), settled: response,
            closes: closes || !readsBody)
        if !readsBody { connection.lingerAfterAnswer() }
        return (exchange, !readsBody)
    }

    private func readHeaders() -> HTTPHeaders {
        var headers = HTTPHeaders()
        withUnsafeMutablePointer(to: &headers) {
            _ = MHD_get_connection_values_n(pointer, .HEADER_KIND, collectHeader, $0)
        }
        return headers
    }
}

private func collectHeader(
    context: UnsafeMutableRawPointer?, kind: MHD_ValueKind, name: UnsafePointer<CChar>?, nameCount: Int,
    value: UnsafePointer<CChar>?, valueCount: Int
) -> MHD_Result {
    context?.assumingMemoryBound(to: HTTPHeaders.self).pointee.append(
        name: UnsafeRawBufferPointer(start: name, count: nameCount),
        value: UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : valueCount))
    return .YES
}
