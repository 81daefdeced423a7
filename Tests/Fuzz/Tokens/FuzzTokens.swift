import CloudModel
import Cryptography
import Feeds
import TextForms

/// Sealed texts, each kind in three ways: foreign text, a true token that was changed, and content that the service
/// never sealed under a true seal. A value or an error, never a crash; and a changed token never has another content.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard count >= 2, let data else { return 0 }
    let kind = TokenKind.all[Int(data[0]) % TokenKind.all.count]
    let bytes = Array(UnsafeBufferPointer(start: data + 2, count: count - 2))
    switch data[1] % 3 {
    case 0: checkForeign(kind, String(decoding: bytes, as: UTF8.self))
    case 1: checkChanged(kind, bytes)
    default: checkSealed(kind, bytes)
    }
    return 0
}

private func checkForeign(_ kind: TokenKind, _ text: String) {
    precondition(
        !kind.open(text) || kind.tokens.contains { decoded($0) == decoded(text) }, "a made-up \(kind.name) was taken")
    checkIdentifier(text)
}

/// Whatever the content is, it is read or refused; and its token is good for its own purpose alone.
private func checkSealed(_ kind: TokenKind, _ payload: [UInt8]) {
    let token = kind.seal(payload)
    precondition(kind.isHidden || (try? Known.ring.open(token, purpose: kind.purpose)) == payload)
    precondition(!kind.isHidden || (try? Known.ring.openHidden(token, purpose: kind.purpose)) == payload)
    _ = kind.open(token)
    // Another one at a time.
    let other = TokenKind.all[payload.count % TokenKind.all.count]
    precondition(other.purpose == kind.purpose || !other.open(token), "a \(kind.name) was taken for a \(other.name)")
}

/// Bytes are the changes of a true token: pairs of a place and the new byte, then bytes to append.
private func checkChanged(_ kind: TokenKind, _ changes: [UInt8]) {
    for token in kind.tokens {
        guard let original = decoded(token) else { fatalError("a token is no base64") }
        var bytes = original
        var rest = changes[...]
        for _ in 0..<(Int(rest.popFirst() ?? 0) % 8) {
            let place = Int(rest.popFirst() ?? 0) << 8 | Int(rest.popFirst() ?? 0)
            bytes[place % bytes.count] ^= rest.popFirst() ?? 0
        }
        let cut = Int(rest.popFirst() ?? 0) % 4
        bytes.removeLast(cut)
        bytes += rest
        for form in [Base64.url, .standard] {
            precondition(bytes == original || !kind.open(form.encode(bytes)), "a changed \(kind.name) was taken")
        }
        let cutText = String(token.dropLast(cut)) + String(decoding: rest, as: UTF8.self)
        precondition(
            decoded(cutText) == original || !kind.open(cutText), "a \(kind.name) of changed text was taken")
    }
}

/// The bytes of a text in either alphabet, padded or not; nil for other texts.
private func decoded(_ text: String) -> [UInt8]? {
    let plain = text.utf8.count.isMultiple(of: 4) ? text.replacing(/={1,2}$/, with: "") : text
    let padding = String(repeating: "=", count: (4 - plain.utf8.count % 4) % 4)
    return Base64.url.decode(plain) ?? Base64.standard.decode(plain + padding)
}

private func checkIdentifier(_ text: String) {
    guard let change = Known.identifiers.decode(text, of: Known.user) else { return }
    precondition(Known.identifiers.encode(NotificationSubject(user: Known.user, change: change)) == text)
    precondition(Known.identifiers.decode(text, of: Known.other) == nil)
}
