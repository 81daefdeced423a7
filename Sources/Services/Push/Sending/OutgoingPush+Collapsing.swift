import CloudModel
import Cryptography
import TextForms

extension OutgoingPush {
    /// The header `apns-collapse-id`: the subscription's identifier, hashed where it is longer than
    /// `Limits.collapseIDBytesMax` bytes, where no header could have it as it is, and where contents are not sent: it
    /// may be the value of a field. Without one, visible pushes have the push's ID.
    var apnsCollapseID: String? {
        guard let collapseID, !collapseID.isEmpty else { return isVisible ? id.description : nil }
        let isHeader =
            contents == .full && collapseID.utf8.count <= Limits.collapseIDBytesMax
            && collapseID.utf8.allSatisfy { (0x20...0x7e).contains($0) } && collapseID.first != " "
            && collapseID.last != " "
        return isHeader ? collapseID : Base64.url.encode(SHA256.hash(Array(collapseID.utf8)))
    }

    /// The header `Topic` of Web Push, 32 characters: from the subscription's identifier, else from the push's ID, so
    /// that a push that is sent again replaces itself. A push service cannot read the identifier.
    var topic: String {
        let source =
            if let collapseID, !collapseID.isEmpty { "collapse/\(collapseID)" } else { "push/\(id)" }
        return Base64.url.encode(Array(SHA256.hash(Array(source.utf8)).prefix(24)))
    }
}
