import CPostgreSQL

/// A warning or a notice of the server, which fails nothing.
package struct PostgreSQLNotice: Sendable {
    /// `WARNING`, `NOTICE`, `INFO`, `LOG` or `DEBUG`, whatever the server's language.
    package var severity: String
    /// Five letters and digits.
    package var sqlstate: String
    /// The server's text.
    package var message: String
}

extension PostgreSQLNotice {
    init(_ result: OpaquePointer) {
        let text = { Diagnostic.text(result, $0) ?? "" }
        self.init(severity: text(.severity), sqlstate: text(.sqlstate), message: text(.message))
    }
}

/// Keeps the handler of notices of one connection where a C callback finds it.
final class NoticeHandler {
    private let body: @Sendable (PostgreSQLNotice) -> Void

    init(_ body: @escaping @Sendable (PostgreSQLNotice) -> Void) { self.body = body }

    /// Takes the notices of a connection, which has to be closed before this object is released. libpq would print
    /// them to standard error.
    func attach(to handle: OpaquePointer) {
        PQsetNoticeReceiver(handle, receive, Unmanaged.passUnretained(self).toOpaque())
    }

    fileprivate func handle(_ notice: PostgreSQLNotice) { body(notice) }
}

private let receive: PQnoticeReceiver = { context, result in
    guard let context, let result else { return }
    Unmanaged<NoticeHandler>.fromOpaque(context).takeUnretainedValue().handle(PostgreSQLNotice(result))
}
