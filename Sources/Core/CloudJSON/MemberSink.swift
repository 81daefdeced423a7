import JSON

/// An object that members are added to: as a tree, or straight into bytes.
protocol MemberSink {
    mutating func add(_ key: String, _ text: String)
    mutating func add(_ key: String, _ texts: [String])
    mutating func add(_ key: String, _ flag: Bool)
}

extension JSONObject: MemberSink {
    mutating func add(_ key: String, _ text: String) { self[key] = .string(text) }
    mutating func add(_ key: String, _ texts: [String]) { self[key] = .array(texts.map { .string($0) }) }
    mutating func add(_ key: String, _ flag: Bool) { self[key] = .bool(flag) }
}

extension JSONWriter: MemberSink {
    mutating func add(_ key: String, _ text: String) { member(key, text) }
    mutating func add(_ key: String, _ flag: Bool) { member(key, flag) }

    mutating func add(_ key: String, _ texts: [String]) {
        self.key(key)
        beginArray()
        for text in texts { value(text) }
        endArray()
    }
}
