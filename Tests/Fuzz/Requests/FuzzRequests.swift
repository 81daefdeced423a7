import CloudModel
import Cryptography
import Identity
import TextForms

@testable import HTTPServer
@testable import WebAPI

/// A request's head and body as bytes, through all that the service reads of them before anybody is known: lines and
/// headers, target, route, credentials, signature, the client's address. Chunks are libmicrohttpd's (`GarbageTests`).
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: count))
    let request = GivenRequest(bytes)
    checkLines(request)
    checkHeaders(request)
    // The server passes the target as text, with invalid UTF-8 replaced.
    let target = String(decoding: request.target, as: UTF8.self)
    checkTarget(target)
    checkText(target)
    if let head = HTTPRequestHead(
        method: String(decoding: request.method, as: UTF8.self), target: target,
        headers: request.fields.map { (String(decoding: $0, as: UTF8.self), String(decoding: $1, as: UTF8.self)) })
    {
        checkHead(head, request.body)
        checkForm(head, request.body)
        checkRange(head)
    }
    return 0
}

/// A form has one file, however its bytes come.
private func checkForm(_ head: HTTPRequestHead, _ body: [UInt8]) {
    guard let form = try? FormPart(contentType: head.headers["Content-Type"]) else { return }
    func part(inPiecesOf size: Int) -> [UInt8]? {
        var form = form
        var contents: [UInt8] = []
        for start in stride(from: 0, to: body.count, by: size) {
            guard let more = try? form.take(body[start..<min(start + size, body.count)]) else { return nil }
            if more.restarts { contents = [] }
            contents += more.bytes
        }
        return form.isOver ? contents : nil
    }
    let whole = part(inPiecesOf: max(1, body.count))
    precondition((whole?.count ?? 0) <= body.count)
    for size in [1, 7] { precondition(part(inPiecesOf: size) == whole, "pieces of \(size) have another part") }
}

/// A range is within its file.
private func checkRange(_ head: HTTPRequestHead) {
    for size in [0, 1, 1000] as [Int64] {
        guard case .part(let offset, let count) = AssetRange(head, of: Asset(fileChecksum: "c", size: size)) else {
            continue
        }
        precondition(offset >= 0 && count > 0 && offset + count <= size, "\(offset) and \(count) of \(size)")
    }
}

/// A length and chunks, or two lengths, are never both believed.
private func checkHeaders(_ request: GivenRequest) {
    var headers = HTTPHeaders()
    for (name, value) in request.fields { headers.append(name: name, value: value) }
    precondition(headers.count == request.fields.count && headers.all.count == headers.count)
    // By scalars: followed by a combining mark, a replaced byte is another character.
    for (name, _) in headers.all where !name.unicodeScalars.contains("\u{FFFD}") {
        precondition(headers[name] != nil && headers.values(name).first == headers[name])
    }
    func isAbout(_ name: ArraySlice<UInt8>, _ what: String) -> Bool {
        String(decoding: name, as: UTF8.self).lowercased() == what
    }
    let lengths = request.fields.count { isAbout($0.name, "content-length") }
    let encodings = request.fields.count { isAbout($0.name, "transfer-encoding") }
    for isHTTP10 in [false, true] {
        let review = HeaderReview(headers, isHTTP10: isHTTP10)
        switch review.framing {
        case .none: precondition(lengths <= 1 && encodings == 0)
        case .length(let bytes): precondition(bytes > 0 && lengths == 1 && encodings == 0)
        case .chunked: precondition(encodings == 1 && lengths == 0 && !isHTTP10)
        case .ambiguous: precondition(lengths + encodings > 0)
        }
        let improper = HeaderReview(headers, isHTTP10: isHTTP10, areLinesProper: false)
        precondition(!improper.isWellFormed)
        precondition(improper.framing == .none || improper.framing == .ambiguous)
        if review.isWellFormed {
            for (name, value) in headers.all {
                precondition(!name.isEmpty && !name.utf8.contains(UInt8(ascii: " ")))
                precondition(!value.utf8.contains(0) && !value.utf8.contains(UInt8(ascii: "\n")))
            }
        }
    }
    let proxies = TrustedProxies(ranges: ["10.0.0.0/8", "fd00::/8", "::/0"].compactMap { AddressRange($0) })
    let peer = ClientAddress("10.0.0.1")
    precondition(proxies.client(of: peer, headers) != nil)
    precondition(TrustedProxies(ranges: []).client(of: peer, headers) == peer)
}

/// Segments and items are those of the text, each decoded by itself.
private func checkTarget(_ text: String) {
    guard let target = RequestTarget(text) else { return }
    precondition(!target.path.isEmpty && !text.utf8.contains(UInt8(ascii: "#")))
    for part in [target.path] + target.pathSegments + target.query.flatMap({ [$0.name, $0.value] }) {
        precondition(!part.utf8.contains(0), "a NUL came through")
    }
    if !target.pathSegments.isEmpty {
        let first = target.path.utf8.first.map { String(decoding: [$0], as: UTF8.self) } ?? ""
        precondition(first + target.pathSegments.joined(separator: "/") == target.path, "segments do not join again")
    }
    precondition(RequestTarget(text) == target)
    if let route = Known.routes.route(of: target.pathSegments) {
        precondition(!route.methods.isEmpty && route.path.segments.count == target.pathSegments.count)
        for (segment, text) in zip(route.path.segments, target.pathSegments) {
            if case .text(let own) = segment { precondition(own == text) }
            if case .choice(_, let texts) = segment { precondition(texts.contains(text)) }
        }
    }
}

/// What a header's or an item's text may be read as.
private func checkText(_ text: String) {
    if let address = ClientAddress(text) {
        precondition(address.network.network == address.network)
        for range in ["0.0.0.0/0", "10.0.0.0/8", "::/0", "fd00::/65"] { _ = AddressRange(range)?.contains(address) }
        precondition(AddressRange(text)?.contains(address) == true)
    }
    if let range = AddressRange(text) { _ = range.contains(Known.address) }
    // The year 0 and leap seconds are written in another way.
    if let time = Timestamp(iso8601: text), text.utf8.count == 20, !text.hasPrefix("0000"), !text.hasSuffix(":60Z") {
        precondition(time.iso8601 == text.dropLast() + ".000Z", "\(text) became \(time.iso8601)")
    }
}

private func checkHead(_ head: HTTPRequestHead, _ body: [UInt8]) {
    // Without credentials nobody sends a body; of no container nothing is served.
    if case .body(let bytes, _, _, _, _) = Known.api.admit(head) { precondition(bytes == 0) }
    guard let given = try? GivenCredentials(head) else { return }
    precondition(given.apiToken != "" && given.webAuthToken != "")
    guard var signature = given.signature else { return }
    var now = Timestamp(milliseconds: 1_767_225_600_000)
    // Foreign bytes are no signature, even where the date is good.
    if let time = Timestamp(iso8601: signature.date) { now = time }
    precondition((try? signature.check(Known.key, target: head.target, body: body, at: now)) == nil)
    signature.date = "2026-01-01T00:00:00Z"
    let date = Timestamp(milliseconds: 1_767_225_600_000)
    precondition((try? signature.check(Known.key, target: head.target, body: body, at: date)) == nil)
    // And a true one holds for what it was made for, and for nothing else.
    let path = String(head.target.prefix { $0 != "?" })
    let hash = Base64.standard.encode(SHA256.hash(body))
    let message = RequestSignature.message(date: signature.date, bodyHash: hash, subpath: path)
    signature.signature = Base64.standard.encode(Known.signing.signature(of: message))
    precondition((try? signature.check(Known.key, target: head.target, body: body, at: date)) != nil)
    precondition((try? signature.check(Known.key, target: head.target, body: body + [0], at: date)) == nil)
}

private enum Known {
    static let api = CloudAPI([])
    static let routes = RouteTree(api.router.routes)
    static let signing = SigningKey.generate()
    static let key: VerifyingKey = {
        guard let key = try? VerifyingKey(pem: signing.publicKeyPEM) else { fatalError("a key is not read again") }
        return key
    }()
    static let address = ClientAddress("192.0.2.1")!
}
