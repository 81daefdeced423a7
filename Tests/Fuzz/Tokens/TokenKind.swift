import CloudModel
import Cryptography

@testable import Feeds
@testable import Identity
@testable import RecordService

/// A kind of sealed text: how true ones are made, and how the service opens one.
struct TokenKind: Sendable {
    let name: String
    let purpose: String
    var isHidden = false
    /// True ones.
    let tokens: [String]
    /// Whether the service takes it; what it makes of the content is made here, too.
    let open: @Sendable (String) -> Bool

    /// A token of any content.
    func seal(_ payload: [UInt8]) -> String {
        isHidden ? Known.ring.sealHidden(payload, purpose: purpose) : Known.ring.seal(payload, purpose: purpose)
    }

    static let all: [TokenKind] = {
        let all = [
            change, sync(.database), sync(.zone(Known.zone, created: CommitSequence(3))), sync(.zones), webAuth,
            courier,
            assetUpload, assetReceipt, assetDownload, marker,
        ]
        // The names of purposes are those of the modules, or nothing behind the seal would be reached.
        for kind in all {
            for token in kind.tokens {
                precondition(kind.open(token), "a true \(kind.name) is refused")
                let content =
                    kind.isHidden
                    ? try? Known.ring.openHidden(token, purpose: kind.purpose)
                    : try? Known.ring.open(token, purpose: kind.purpose)
                precondition(content != nil, "\(kind.name) has another purpose than \(kind.purpose)")
            }
        }
        return all
    }()
}

/// What true tokens are made of.
enum Known {
    static let ring = KeyRing.generate()
    static let identifiers = NotificationIdentifiers(ring)
    static let scope = ContainerEnvironment(
        container: ContainerIdentifier(trusted: "iCloud.c"), environment: .development)
    static let user = UserRecordName(trusted: "_" + String(repeating: "a", count: 32))
    static let other = UserRecordName(trusted: "_" + String(repeating: "b", count: 32))
    static let zone = ZoneID(name: ZoneName(trusted: "z"), owner: user)
    static let now = Timestamp(milliseconds: 1_767_225_600_000)
}
