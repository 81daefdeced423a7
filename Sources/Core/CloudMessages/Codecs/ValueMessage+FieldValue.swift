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
        case .bytes(let bytes): self.init(kind: .bytes(bytes))
        case .location(let location): self.init(kind: .location(LocationMessage(location)))
        case .asset(let asset):
            self.init(kind: .asset(AssetMessage(fileChecksum: asset.fileChecksum, size: asset.size)))
        case .list(let elements, of: .string):
            self.init(
                kind: .stringList(
                    StringListMessage(
                        elements: elements.compactMap { if case .string(let text) = $0 { text } else { nil } })))
        case .list(let elements, let type):
            self.init(
                kind: .list(ListMessage(elementType: type.rawValue, elements: elements.map { ValueMessage($0) })))
        case .encrypted(.sealed(let content, let type)):
            self.init(kind: .sealed(SealedValueMessage(type: type.rawValue, content: content)))
        case .encrypted(.open), .encrypted(.exact):
            preconditionFailure("encrypted fields are sealed before they are stored or published")
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
        case .bytes(let bytes): return .bytes(bytes)
        case .location(let location): return .location(location.location)
        case .asset(let asset): return .asset(Asset(fileChecksum: asset.fileChecksum, size: asset.size))
        case .stringList(let list): return .stringList(list.elements)
        case .list(let list):
            let type = try required(FieldType(rawValue: list.elementType), "the type of a list's elements")
            var elements: [FieldValue] = []
            elements.reserveCapacity(list.elements.count)
            for element in list.elements { elements.append(try element.value()) }
            guard elements.allSatisfy({ $0.type == type }), type.listType != nil else {
                throw MalformedMessage("a list has elements of other types than it says")
            }
            return .list(elements, of: type)
        case .sealed(let message):
            let type = try required(FieldType(rawValue: message.type), "the type of a sealed value")
            guard type.encryptedType != nil else { throw MalformedMessage("a sealed value is of a type that none has") }
            return .encrypted(.sealed(message.content, as: type))
        }
    }
}

extension LocationMessage {
    /// The place as it is published.
    fileprivate init(_ location: Location) {
        self.init(
            latitude: location.latitude, longitude: location.longitude,
            horizontalAccuracy: location.horizontalAccuracy, verticalAccuracy: location.verticalAccuracy,
            altitude: location.altitude, speed: location.speed, course: location.course,
            timestamp: location.timestamp?.milliseconds)
    }

    /// The place.
    fileprivate var location: Location {
        Location(
            latitude: latitude, longitude: longitude, horizontalAccuracy: horizontalAccuracy,
            verticalAccuracy: verticalAccuracy, altitude: altitude, speed: speed, course: course,
            timestamp: timestamp.map { Timestamp(milliseconds: $0) })
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
