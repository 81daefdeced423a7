import CloudModel

extension RecordOperation {
    /// The operation for a zone: references that name this zone, or one of its name without an owner, become references
    /// within it, and so do those to users.
    func settled(in zone: ZoneID) -> RecordOperation {
        var operation = self
        for (name, given) in fields {
            guard var given else { continue }
            given.value = Self.settled(given.value, in: zone)
            operation.fields[name] = given
        }
        operation.zonedLinks = zonedLinks.map { Self.settled($0, in: zone) }
        return operation
    }

    private static func settled(_ reference: Reference, in zone: ZoneID) -> Reference {
        var reference = reference
        if let named = reference.zone, named.name == zone.name,
            named.owner == zone.owner || named.owner == .defaultOwner
        {
            reference.zone = nil
        }
        return reference
    }

    private static func settled(_ value: FieldValue, in zone: ZoneID) -> FieldValue {
        switch value {
        case .reference(let reference):
            var reference = settled(reference, in: zone)
            // A user is the same in every zone.
            if reference.recordName.user != nil { reference.zone = nil }
            return .reference(reference)
        case .list(let elements, of: .reference): return .list(elements.map { settled($0, in: zone) }, of: .reference)
        default: return value
        }
    }
}
