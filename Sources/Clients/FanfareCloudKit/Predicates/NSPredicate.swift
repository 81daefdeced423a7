public import Foundation

extension NSPredicate {
    /// The predicate as the service takes it.
    var request: Result<PredicateFormat, CKError> {
        #if canImport(ObjectiveC)
            return .success(PredicateFormat(text: predicateFormat))
        #else
            if let predicate = self as? FormatPredicate { return predicate.format }
            if let comparison = self as? NSComparisonPredicate { return comparison.format }
            if let compound = self as? NSCompoundPredicate { return compound.joined }
            if isEqual(NSPredicate(value: true)) { return .success(PredicateFormat(text: "TRUEPREDICATE")) }
            if isEqual(NSPredicate(value: false)) { return .success(PredicateFormat(text: "FALSEPREDICATE")) }
            return .failure(CKError(.invalidArguments, "a service cannot evaluate a block"))
        #endif
    }

    /// A predicate from a format as the service takes it.
    static func made(_ format: PredicateFormat) -> NSPredicate {
        #if canImport(ObjectiveC)
            NSPredicate(format: format.writtenOut)
        #else
            FormatPredicate(.success(format))
        #endif
    }
}

#if !canImport(ObjectiveC)
    extension NSPredicate: SubclassMaking {}

    extension NSPredicate {
        /// A predicate from a format in which `%@` is replaced by a value, `%K` by a name of a field, and `%d`, `%f`
        /// and the like by numbers. Foundation has it on Apple's platforms only.
        ///
        /// A wrong format, or an argument that cannot be compared, fails the call that uses the predicate, as `CKError`
        /// with `invalidArguments`.
        public convenience init(format predicateFormat: String, _ arguments: Any?...) {
            self.init(format: predicateFormat, argumentArray: arguments)
        }

        /// A predicate from a format and a list of its arguments.
        public convenience init(format predicateFormat: String, argumentArray arguments: [Any?]?) {
            let format = Result { () throws(CKError) in try PredicateFormat(predicateFormat, arguments ?? []) }
            let made: NSPredicate = FormatPredicate(format)
            self.init(made: made as! Self)
        }
    }

    extension NSCompoundPredicate {
        /// The format of all of them together.
        var joined: Result<PredicateFormat, CKError> {
            var formats: [PredicateFormat] = []
            for case let part as NSPredicate in subpredicates as [Any] {
                switch part.request {
                case .success(let format): formats.append(format)
                case .failure(let error): return .failure(error)
                }
            }
            switch (compoundPredicateType, formats.count) {
            case (.and, 0): return .success(PredicateFormat(text: "TRUEPREDICATE"))
            case (.or, 0): return .success(PredicateFormat(text: "FALSEPREDICATE"))
            case (.not, 1):
                return .success(PredicateFormat(text: "NOT (\(formats[0].text))", arguments: formats[0].arguments))
            case (.not, _): return .failure(CKError(.invalidArguments, "NOT takes one predicate"))
            case (_, 1): return .success(formats[0])
            case (.and, _): return .success(.joined(formats, by: "AND"))
            case (.or, _): return .success(.joined(formats, by: "OR"))
            }
        }
    }
#endif
