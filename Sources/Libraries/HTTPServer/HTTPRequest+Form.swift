extension HTTPRequest {
    /// The items of a form's body, decoded; nil for a body that is none.
    package var formItems: [HTTPQueryItem]? {
        let type = headers["Content-Type"]?.lowercased() ?? ""
        guard type.hasPrefix("application/x-www-form-urlencoded"), case .bytes(let bytes) = body,
            let text = String(validating: bytes, as: UTF8.self)
        else { return nil }
        return RequestTarget("/?\(text)")?.query
    }
}
