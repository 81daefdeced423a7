/// Values that many versions have in common, each kept once under a number while somebody uses it.
struct SharedValues<Value: Hashable> {
    private var values: [Value?] = []
    private var uses: [UInt32] = []
    private var numbers: [Value: UInt32] = [:]
    private var free: [UInt32] = []

    /// The number of a value, used once more.
    mutating func take(_ value: Value) -> UInt32 {
        if let number = numbers[value] {
            uses[Int(number)] += 1
            return number
        }
        let number: UInt32
        if let unused = free.popLast() {
            number = unused
            values[Int(number)] = value
            uses[Int(number)] = 1
        } else {
            number = UInt32(values.count)
            values.append(value)
            uses.append(1)
        }
        numbers[value] = number
        return number
    }

    /// Ends one use of a number that `take` gave; true if it was the last one.
    mutating func release(_ number: UInt32) -> Bool {
        let place = Int(number)
        uses[place] -= 1
        guard uses[place] == 0, let value = values[place] else { return false }
        numbers[value] = nil
        values[place] = nil
        free.append(number)
        return true
    }

    /// The value of a number in use.
    subscript(number: UInt32) -> Value { values[Int(number)]! }

    /// The uses of a number.
    func uses(of number: UInt32) -> UInt32 { uses[Int(number)] }
}
