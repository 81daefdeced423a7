public import Foundation

#if !canImport(ObjectiveC)
    // Foundation bridges these to objects where it knows Objective-C, and so do apps: `date as CVarArg`. On Linux the
    // cast needs the conformance; a predicate takes the value as it is, and formats of texts print its description.
    // Only lists of what can be hashed, so that a list of arguments is not taken for one of them.
    /// A value that apps cast to an argument of a format.
    public protocol FanfareArgument: _CVarArgObject {}

    extension FanfareArgument {
        /// The text that formats of texts print.
        public var _cVarArgObject: any CVarArg { "\(self)"._cVarArgObject }

        /// Not to be asked: lists of arguments take the text.
        public var _cVarArgEncoding: [Int] { _cVarArgObject._cVarArgEncoding }
    }

    extension Date: @retroactive CVarArg {}
    extension Date: @retroactive _CVarArgObject {}
    extension Date: FanfareArgument {}
    extension Data: @retroactive CVarArg {}
    extension Data: @retroactive _CVarArgObject {}
    extension Data: FanfareArgument {}
    extension UUID: @retroactive CVarArg {}
    extension UUID: @retroactive _CVarArgObject {}
    extension UUID: FanfareArgument {}
    extension Array: @retroactive CVarArg where Element: Hashable {}
    extension Array: @retroactive _CVarArgObject where Element: Hashable {}
    extension Array: FanfareArgument where Element: Hashable {}
    extension CKRecord: FanfareArgument {}
    extension CKRecordID: FanfareArgument {}
    extension CKReference: FanfareArgument {}
    extension CLLocation: FanfareArgument {}
#endif
