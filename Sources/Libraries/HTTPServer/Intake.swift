import CMicroHTTPD

#if canImport(Glibc)
    import Glibc
#endif

/// Decides by a request's head what becomes of it. Lives for one callback on the connection's worker.
struct Intake {
    /// A body up to this size is read and dropped so that its connection can go on after a refusal.
    private static let dropBytesMaximum = 64 << 10

    let core: ServerCore
    let connection: Connection
    let pointer: OpaquePointer

    /// The exchange of the request, and whether it is answered at once, before its body; none when its time was over.
    /// - Parameters:
    ///   - line: the method, where the head begins in the memory that it was read into.
    ///   - version: the last word of the request line, in the same memory.
    func begin(line: UnsafePointer<CChar>, version: UnsafePointer<CChar>) -> (exchange: Exchange?, isAnswered: Bool) {
        let (headers, areProper) = readHeaders(line, after: version)
        let method = String(cString: line)
        let review = HeaderReview(
            headers, isHTTP10: strcmp(version, "HTTP/1.0") == 0, areLinesProper: areProper)
        let framing = review.framing
        guard let target = connection.headersComplete(bodyFollows: framing != .none) else {
            core.answerLate(connection)
            return (nil, false)
        }
        let client = core.proxies.client(of: connection.peer, headers)
        if let refusal = refusal(method: method, target: target, headers: headers, review) {
            let response = core.refusal(refusal, ofUnadmittedFrom: client)
            return settle(response, client, framing, headers, closes: refusal.closesConnection)
        }
        guard let parsed = RequestTarget(target) else {
            return settle(core.refusal(.malformedTarget, ofUnadmittedFrom: client), client, framing, headers)
        }
        let head = HTTPRequestHead(
            method: method, rawTarget: target, target: parsed, headers: headers,
            remoteAddress: connection.remoteAddress, client: client,
            bodyBytesAnnounced: framing.announced)
        switch core.handler.admit(head) {
        case .refuse(let response): return settle(response, client, head: head, framing, headers)
        case .body(let maximum, let account, let yields, let form, let admitted):
            if yields, framing != .none { connection.yieldWhileArriving() }
            let terms = Terms(maximum: maximum, account: account, form: form, admitted: admitted)
            return admit(head, framing, terms, directory: nil)
        case .file(let directory, let maximum, let account, let form, let admitted):
            let terms = Terms(maximum: maximum, account: account, form: form, admitted: admitted)
            return admit(head, framing, terms, directory: directory)
        }
    }

    /// The parts of an admission beside the destination of the body.
    private struct Terms {
        var maximum: Int
        var account: String?
        /// Takes the body out of a form.
        var form: FormPart?
        var admitted: (any Sendable)?
    }

    /// Returns the server's own refusal, for which the handler is not asked; nil when there is none.
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
        return configuration.hosts?.foreign(headers, target: target).map { .foreignHost($0) }
    }

    private func admit(
        _ head: HTTPRequestHead, _ framing: HeaderReview.Framing, _ terms: Terms, directory: String?
    ) -> (exchange: Exchange?, isAnswered: Bool) {
        let maximum = max(0, min(terms.maximum, core.configuration.bodyBytesMaximum))
        let envelope = terms.form == nil ? 0 : FormPart.envelopeBytesMax
        if let announced = framing.announced, announced > maximum + envelope {
            let response = core.refusal(.bodyTooLarge(maximumBytes: maximum))
            return settle(response, head.client, head: head, framing, head.headers)
        }
        let accounts = core.accounts(terms.account, head.client)
        let collector: BodyCollector
        if let directory, framing != .none {
            do {
                collector = BodyCollector(
                    file: try TemporaryFile(in: directory), maximumBytes: maximum, form: terms.form)
            } catch {
                core.log(.error, "A body cannot be stored: \(error.reason).")
                let response = core.refusal(.bodyNotStored(reason: error.reason))
                return settle(response, head.client, head: head, framing, head.headers)
            }
        } else {
            // Announced bytes take no room; but a body that would find none now is refused before it is sent.
            guard core.bodies.hasRoom(framing.announced ?? 0, for: accounts) else {
                return settle(core.refusal(.bodiesTooLarge), head.client, head: head, framing, head.headers)
            }
            collector = BodyCollector(
                maximumBytes: maximum, announced: framing.announced, form: terms.form,
                core.bodies.reservation(for: accounts))
        }
        let exchange = Exchange(
            core: core, connection: connection, client: head.client, head: head, collector: collector,
            accounts: accounts,
            admitted: terms.admitted)
        return (exchange, false)
    }

    /// An answer that does not depend on the body: sent after a body that is none or small, else instead of reading it.
    private func settle(
        _ response: HTTPResponse, _ client: ClientAddress?, head: HTTPRequestHead? = nil,
        _ framing: HeaderReview.Framing, _ headers: HTTPHeaders, closes: Bool = false
    ) -> (exchange: Exchange?, isAnswered: Bool) {
        let readsBody: Bool =
            switch framing {
            case .none: true
            case .length(let bytes): bytes <= Self.dropBytesMaximum && headers["expect"] == nil && !closes
            case .chunked, .ambiguous: false
            }
        let exchange = Exchange(
            core: core, connection: connection, client: client, head: head, collector: BodyCollector(),
            settled: response, closes: closes || !readsBody)
        if !readsBody { connection.lingerAfterAnswer() }
        return (exchange, !readsBody)
    }

    private func readHeaders(
        _ method: UnsafePointer<CChar>, after version: UnsafePointer<CChar>
    ) -> (headers: HTTPHeaders, areProper: Bool) {
        var head = Head(lines: HeaderLines(version: version))
        withUnsafeMutablePointer(to: &head) {
            _ = MHD_get_connection_values_n(pointer, .HEADER_KIND, collectHeader, $0)
        }
        head.lines.finish(UnsafeRawPointer(method) + microhttpd_head_bytes(pointer))
        return (head.headers, head.lines.areProper)
    }
}

/// The parts of a request's head that are collected.
private struct Head {
    var headers = HTTPHeaders()
    var lines: HeaderLines
}

private func collectHeader(
    context: UnsafeMutableRawPointer?, kind: MHD_ValueKind, name: UnsafePointer<CChar>?, nameCount: Int,
    value: UnsafePointer<CChar>?, valueCount: Int
) -> MHD_Result {
    let head = context?.assumingMemoryBound(to: Head.self)
    head?.pointee.headers.append(
        name: UnsafeRawBufferPointer(start: name, count: nameCount),
        value: UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : valueCount))
    head?.pointee.lines.take(name: name, count: nameCount, value: value, valueCount: valueCount)
    return .YES
}
