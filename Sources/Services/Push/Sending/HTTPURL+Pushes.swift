import TextForms

extension HTTPURL {
    /// The URL of an address that a client chose, nil where nothing can be sent to it: `http` is for this machine
    /// itself. Its host may be any: the transport decides which URLs and addresses are requested.
    static func pushed(to text: String) -> HTTPURL? {
        guard let url = try? HTTPURL(text), url.isSecure || url.isLoopback else { return nil }
        return url
    }
}
