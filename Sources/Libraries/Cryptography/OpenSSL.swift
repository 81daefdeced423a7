import COpenSSL

/// The error handling that all calls of OpenSSL share.
enum OpenSSL {
    /// Ends the program unless a call that only fails without memory or without OpenSSL's default provider succeeded.
    ///
    /// A failure leaves entries in the thread's queue that the next call's error would be mixed up with, so the
    /// caller that goes on after one clears it; here none does.
    static func require(_ succeeded: Bool, _ what: StaticString) {
        if succeeded { return }
        let code = ERR_get_error()
        ERR_clear_error()
        let reason = ERR_reason_error_string(code).map { String(cString: $0) } ?? "error \(code)"
        fatalError("OpenSSL cannot \(what): \(reason)")
    }
}
