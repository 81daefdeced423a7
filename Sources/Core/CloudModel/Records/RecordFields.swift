/// A record's fields in the order of their names' bytes, so that the same fields always encode to the same bytes.
package struct RecordFields: Hashable, Sendable {
    /// One field.
    package struct Entry: Hashable, Sendable {
        /// The name of the field.
        package var name: FieldName
        /// The value of the field.
        package var value: FieldValue

        package init(name: FieldName, value: FieldValue) {
            self.name = name
            self.value = value
        }
    }

    /// The fields, ascending by name, each name once.
    package private(set) var entries: [Entry]

    /// No fields.
    package init() { entries = [] }

    /// Takes fields that are sorted and unique already, as they are stored and published.
    package init(sorted entries: [Entry]) { self.entries = entries }

    /// Looks up or sets one field; nil removes it. Costs a binary search.
    package subscript(name: FieldName) -> FieldValue? {
        get {
            let index = position(of: name)
            return index < entries.count && entries[index].name == name ? entries[index].value : nil
        }
        set {
            let index = position(of: name)
            let present = index < entries.count && entries[index].name == name
            switch (present, newValue) {
            case (true, let value?): entries[index].value = value
            case (true, nil): entries.remove(at: index)
            case (false, let value?): entries.insert(Entry(name: name, value: value), at: index)
            case (false, nil): break
            }
        }
    }

    /// The index of the first entry that does not come before `name`.
    private func position(of name: FieldName) -> Int {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].name < name { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
