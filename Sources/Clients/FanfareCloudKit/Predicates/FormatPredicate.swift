import Foundation

#if !canImport(ObjectiveC)
    /// A predicate that was made from a format, which Foundation on Linux has none of.
    final class FormatPredicate: NSPredicate {
        let format: Result<PredicateFormat, CKError>

        init(_ format: Result<PredicateFormat, CKError>) {
            self.format = format
            super.init(value: true)
        }

        /// Not to be asked: a predicate of a format is the service's to evaluate.
        required init?(coder: NSCoder) { nil }

        /// The format with its arguments written out.
        override var predicateFormat: String {
            switch format {
            case .success(let format): format.writtenOut
            case .failure(let error): error.localizedDescription
            }
        }

        override var description: String { predicateFormat }

        override func isEqual(_ object: Any?) -> Bool {
            guard let other = object as? FormatPredicate, case .success(let mine) = format,
                case .success(let theirs) = other.format
            else { return false }
            return mine.text == theirs.text && mine.arguments == theirs.arguments
        }

        override var hash: Int { if case .success(let format) = format { format.text.hashValue } else { 0 } }

        override func copy(with zone: NSZone? = nil) -> Any { self }

        /// False: a client does not evaluate what it asks a service.
        override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool { false }
    }

    /// An order by a field's name, which Foundation on Linux has none of.
    class FieldSortDescriptor: NSSortDescriptor {
        let fieldName: String?

        init(fieldName: String?, ascending: Bool) {
            self.fieldName = fieldName
            super.init(keyPath: \String.count, ascending: ascending)
        }

        /// Not to be asked: fields are ordered by the service.
        required init?(coder: NSCoder) { nil }

        override func copy(with zone: NSZone? = nil) -> Any { self }

        override var reversedSortDescriptor: Any { FieldSortDescriptor(fieldName: fieldName, ascending: !ascending) }
    }
#endif
