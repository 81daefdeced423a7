package import CloudModel

extension ZoneMessage {
    /// The zone as it is published.
    package init(_ zone: ZoneID) { self.init(name: zone.name.rawValue, owner: zone.owner.rawValue) }

    /// The zone.
    package var zoneID: ZoneID {
        ZoneID(name: ZoneName(trusted: name), owner: UserRecordName(trusted: owner))
    }
}

extension ValueMessage {
    /// The value as it is published.
    package init(_ value: FieldValue) {
        switch value {
        case .string(let text): self.init(kind: .string(text))
        case .int64(let number): self.init(kind: .int64(number))
        case .double(let number): self.init(kind: .double(number))
        case .timestamp(let time): self.init(kind: .timestamp(time.milliseconds))
        case .reference(let reference):
            self.init(
                kind: .reference(
                    ReferenceMessage(
                        recordName: reference.recordName.rawValue, zone: reference.zone.map { ZoneMessage($0) },
                        action: reference.action.rawValue)))
        case .stringList(let elements): self.init(kind: .stringList(StringListMessage(elements: elements)))
        }
    }

    /// The value.
    /// - Throws: when the kind is unknown to this version.
    package func value() throws(MalformedMessage) -> FieldValue {
        switch try required(kind, "a value's kind") {
        case .string(let text): return .string(text)
        case .int64(let number): return .int64(number)
        case .double(let number): return .double(number)
        case .timestamp(let milliseconds): return .timestamp(Timestamp(milliseconds: milliseconds))
        case .reference(let message):
            let action = try required(Reference.Action(rawValue: message.action), "a reference's action")
            return .reference(
                Reference(
                    recordName: RecordName(trusted: message.recordName), zone: message.zone.map(\.zoneID),
                    action: action))
        case .stringList(let list): return .stringList(list.elements)
        }
    }
}

extension [FieldMessage] {
    /// The fields as they are published.
    package init(_ fields: RecordFields) {
        self = fields.entries.map { FieldMessage(name: $0.name.rawValue, value: ValueMessage($0.value)) }
    }

    /// The fields.
    package func recordFields() throws(MalformedMessage) -> RecordFields {
        var entries: [RecordFields.Entry] = []
        entries.reserveCapacity(count)
        for field in self {
            let value = try required(field.value, "a field's value").value()
            entries.append(RecordFields.Entry(name: FieldName(trusted: field.name), value: value))
        }
        return RecordFields(sorted: entries)
    }
}
