/// One of the four ordering comparisons. `Instruction.Test` has a run of these four for each kind of operand.
enum OrderRelation: UInt64 {
    case less = 0
    case lessOrEqual, greater, greaterOrEqual

    /// Returns true if the operand bounds the values from above.
    var isUpperBound: Bool { self == .less || self == .lessOrEqual }

    @inline(__always) func holds(_ left: Int64, _ right: Int64) -> Bool {
        switch self {
        case .less: left < right
        case .lessOrEqual: left <= right
        case .greater: left > right
        case .greaterOrEqual: left >= right
        }
    }

    @inline(__always) func holds(_ left: Double, _ right: Double) -> Bool {
        switch self {
        case .less: left < right
        case .lessOrEqual: left <= right
        case .greater: left > right
        case .greaterOrEqual: left >= right
        }
    }

    @inline(__always) func holds(_ order: ValueOrdering.Result?) -> Bool {
        switch self {
        case .less: order == .less
        case .lessOrEqual: order == .less || order == .equal
        case .greater: order == .greater
        case .greaterOrEqual: order == .greater || order == .equal
        }
    }
}
