import CloudMessages
package import CloudModel
package import Cryptography
import ProtocolBuffers

/// Seals the values of encrypted fields before they are stored, and opens them for those who may read the record.
///
/// Each is sealed for its field of its record in its zone, so that bytes that somebody moved in the store do not open.
package struct FieldSeals: Sendable {
    private let key: StorageKey
    private let scope: ContainerEnvironment

    /// Seals of an environment, by a key ring that stays with its store.
    package init(_ ring: KeyRing, scope: ContainerEnvironment) {
        key = StorageKey(ring, purpose: "fields")
        self.scope = scope
    }

    /// The stored form of a value: sealed, unless it is already.
    /// - Parameter before: the stored value that it replaces, which stays if both have the same content, so that
    ///   nothing has changed.
    func sealed(
        _ value: FieldValue, _ field: FieldName, of record: RecordName, in zone: ZoneID, replacing before: FieldValue?
    ) -> FieldValue {
        let plain: FieldValue
        var content: [UInt8]
        switch value {
        case .encrypted(.open(let open)):
            plain = open
            content = ValueMessage(plain).encoded()
        case .encrypted(.exact(let open, let seconds)):
            plain = open
            content = ValueMessage(plain).encoded() + ExactTimesMessage(seconds: seconds).encoded()
        default: return value
        }
        let place = place(of: field, record, zone)
        if case .encrypted(.sealed(let bytes, as: plain.type))? = before, (try? key.open(bytes, for: place)) == content
        {
            return .encrypted(.sealed(bytes, as: plain.type))
        }
        return .encrypted(.sealed(key.seal(content, for: place), as: plain.type))
    }

    /// The record with its encrypted fields open.
    /// - Parameter wanted: the fields to open; nil opens all. Others stay as they are.
    /// - Throws: `INTERNAL_ERROR` for a value that does not open: the store was changed, or the key ring is another
    ///   one.
    package func opened(_ record: Record, wanted: Set<FieldName>? = nil) throws(CloudError) -> Record {
        var record = record
        for entry in record.fields.entries {
            guard case .encrypted(.sealed(let bytes, as: _)) = entry.value, wanted?.contains(entry.name) != false else {
                continue
            }
            do {
                let content = try key.open(bytes, for: place(of: entry.name, record.name, record.zone))
                let value = try ValueMessage(decoding: content).value()
                let seconds = try ExactTimesMessage(decoding: content).seconds
                record.fields[entry.name] = .encrypted(EncryptedValue(value, seconds: seconds) ?? .open(value))
            } catch {
                throw CloudError(
                    .internalError,
                    "the encrypted field '\(entry.name)' of '\(record.name)' cannot be opened: the store's key ring is another one, or the stored bytes were changed"
                )
            }
        }
        return record
    }

    /// The record with the values that a former key sealed under the current one; nil if there are none. Values that no
    /// key opens stay, and are counted.
    func resealed(_ record: Record) -> (record: Record?, unreadable: Int) {
        var result = record
        var (changed, unreadable) = (false, 0)
        for entry in record.fields.entries {
            guard case .encrypted(.sealed(let bytes, as: let type)) = entry.value else { continue }
            let place = place(of: entry.name, record.name, record.zone)
            guard let (content, isCurrent) = try? key.opened(bytes, for: place) else {
                unreadable += 1
                continue
            }
            guard !isCurrent else { continue }
            result.fields[entry.name] = .encrypted(.sealed(key.seal(content, for: place), as: type))
            changed = true
        }
        return (changed ? result : nil, unreadable)
    }

    /// No name has a NUL in it.
    private func place(of field: FieldName, _ record: RecordName, _ zone: ZoneID) -> String {
        [
            scope.container.rawValue, scope.environment.rawValue, zone.owner.rawValue, zone.name.rawValue,
            record.rawValue, field.rawValue,
        ].joined(separator: "\u{0}")
    }
}
