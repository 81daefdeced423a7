import CMicroHTTPD

#if canImport(Glibc)
    import Glibc
#endif

extension HTTPResponse {
    /// The reason why this answer cannot be sent; nil when it can. A line end in a value would let a client write
    /// headers of ours.
    var defect: String? {
        if isResting { return "it rests, and its request is not answered as one that may" }
        guard (200...599).contains(status) else { return "status \(status) is not between 200 and 599" }
        for (name, value) in headers {
            guard HTTPGrammar.isToken(name.utf8) else { return "a header's name is no token: \(name.debugDescription)" }
            guard HTTPGrammar.isFieldValue(value.utf8) else {
                return "the value of header \(name) holds a control character"
            }
            guard !Self.isServersOwn(name) else { return "header \(name) is set by the server" }
        }
        return nil
    }

    /// The number of bytes that the client has to take; nil for a stream.
    var bytesToSend: Int? {
        switch body {
        case .empty: return 0
        case .bytes(let bytes): return bytes.count
        case .file(_, _, let length?): return length
        case .file(let path, let offset, nil):
            var status = stat()
            return stat(path, &status) == 0 ? max(0, Int(status.st_size) - offset) : 0
        case .stream, .resting: return nil
        }
    }

    /// Closes a stream, or a resting object, whose answer is not going to be sent.
    func discard(_ reason: HTTPStreamEnd) {
        switch body {
        case .stream(let stream): stream.end(reason)
        case .resting(let resting): resting.leave()
        case .empty, .bytes, .file: break
        }
    }

    /// The whole answer as bytes, for a connection that ends with it. Only answers held in memory have a body here.
    func closingBytes(reasonPhrase: String) -> [UInt8] {
        var content: [UInt8] = []
        if case .bytes(let bytes) = body { content = bytes }
        var text = "HTTP/1.1 \(status) \(reasonPhrase)\r\n"
        for (name, value) in headers where !value.isEmpty { text += "\(name): \(value)\r\n" }
        text += "Connection: close\r\nContent-Length: \(content.count)\r\n\r\n"
        return Array(text.utf8) + content
    }

    private static func isServersOwn(_ name: String) -> Bool {
        guard name.utf8.count == 14 || name.utf8.count == 17 else { return false }
        let lowercased = name.lowercased()
        return lowercased == "content-length" || lowercased == "transfer-encoding"
    }
}
