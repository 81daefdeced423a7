import CloudModel

/// The numbers that programs and keys use: slots of fields, operands, sets of operands, patterns and trees. All have
/// use counts; storing one adds a use.
struct Vocabulary: ~Copyable {
    private(set) var slots: FieldSlots
    private var operands = InternTable()
    /// Rows of operands' numbers, each behind its length.
    private var sets = BlockArena<UInt32>(filler: 0)
    /// Comparisons and predicates that programs cannot say, for the plain walk.
    private var trees = NamedPool<Predicate>()
    /// Patterns of `LIKE`.
    private var patterns = NamedPool<LikePattern>()

    /// An empty vocabulary that gives out so many slots at most.
    init(slotsMax: Int) { slots = FieldSlots(limit: slotsMax) }

    func write(to writer: inout ImageWriter, _ coding: PredicateCoding) {
        slots.write(to: &writer)
        operands.write(to: &writer)
        sets.write(to: &writer)
        trees.write(to: &writer) { predicate, _ in coding.encode(predicate) }
        // Their names say all of them.
        patterns.write(to: &writer) { _, name in Array(operands.text(name)) }
    }

    init(from reader: inout ImageReader, _ coding: PredicateCoding) throws {
        self.init(slotsMax: 0)
        slots = try FieldSlots(from: &reader)
        operands = try InternTable(from: &reader)
        sets = try BlockArena(from: &reader, filler: 0)
        trees = try NamedPool(from: &reader) { bytes, _ in try coding.decode(bytes) }
        patterns = try NamedPool(from: &reader) { bytes, _ in
            guard bytes.count >= 2, let variant = Variant(rawValue: bytes[1]) else { throw ImageFailure() }
            return LikePattern(
                String(decoding: bytes.dropFirst(2), as: UTF8.self), folded: variant.options.folded)
        }
    }

    /// Returns true if nothing is in use.
    var isEmpty: Bool { slots.isEmpty && operands.isEmpty && trees.isEmpty && patterns.isEmpty }
    /// Bytes that the tables take, without patterns and trees.
    var bytes: Int { slots.bytes + operands.bytes + sets.bytes }

    // MARK: Slots

    /// The slot of a field, held until `releaseSlot`; nil when there are too many, and then nothing is held.
    mutating func takeSlot(of field: FilterField) -> UInt16? { slots.take(field) }

    /// Holds a slot once more.
    func retainSlot(_ slot: Int) { slots.retain(slot) }

    /// Gives a slot back.
    mutating func releaseSlot(_ slot: Int) { slots.release(slot) }

    /// Notes that a slot is looked at in one more way.
    mutating func note(_ use: SlotUse, of slot: UInt16) { slots.note(use, of: Int(slot)) }

    /// Notes that subscriptions are found by the changes of a field.
    mutating func noteChange(of name: FieldName, at slot: UInt16) { slots.noteChange(of: name, at: Int(slot)) }

    // MARK: Operands

    /// The number of an operand's bytes, held until `releaseOperand`.
    mutating func takeOperand(_ bytes: [UInt8]) -> UInt32 { operands.intern(bytes) }

    /// The number of a text of some kind, held until `releaseOperand`.
    mutating func takeOperand(_ kind: UInt8, _ text: String) -> UInt32 {
        operands.intern(OperandName.bytes(kind, text))
    }

    /// Holds an operand once more.
    func retainOperand(_ number: UInt32) { operands.retain(number) }

    /// Gives an operand back; 0 is none.
    mutating func releaseOperand(_ number: UInt32) { operands.release(number) }

    /// The number of an operand's bytes; 0 when nobody holds them.
    @inline(__always) func findOperand(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt32 { operands.find(bytes) }

    /// The bytes of an operand, without their kind.
    @inline(__always) func operand(_ number: UInt32) -> UnsafeBufferPointer<UInt8> { operands.operand(number) }

    /// The number of those who hold an operand.
    func holders(ofOperand number: UInt32) -> Int { operands.references(number) }

    // MARK: Sets, patterns and trees

    /// Keeps a row of operands' numbers, which are ascending and whose holds pass to the set; returns the set's number.
    mutating func keepSet(_ numbers: [UInt32]) -> UInt32 {
        let offset = sets.allocate(numbers.count + 1)
        sets.base[Int(offset)] = UInt32(numbers.count)
        for (index, number) in numbers.enumerated() { sets.base[Int(offset) + 1 + index] = number }
        return offset
    }

    /// The numbers of a set, ascending.
    @inline(__always) func set(_ number: UInt32) -> UnsafeBufferPointer<UInt32> {
        let row = sets.base + Int(number)
        return UnsafeBufferPointer(start: row + 1, count: Int(row[0]))
    }

    /// The number of a pattern, which equal ones share.
    mutating func keep(_ pattern: TextPattern, _ options: Predicate.StringOptions) -> UInt32 {
        let name = operands.intern([OperandName.pattern, Variant(options).rawValue] + pattern.text.utf8)
        if let number = patterns.take(name) {
            operands.release(name)
            return number
        }
        return patterns.keep(pattern.prepared(folded: options.folded), name: name)
    }

    /// The pattern of a number.
    func pattern(_ number: UInt32) -> LikePattern { patterns[number] }

    /// The number of a comparison for the plain walk, which equal ones share where its bytes can name it.
    /// - Parameter slot: the slot of the field, or 0 where it has none.
    mutating func keep(_ comparison: Predicate.Comparison, _ slot: UInt16) -> UInt32 {
        guard let bytes = OperandName.bytes(of: comparison.relation),
            slot > 0 || comparison.field == .system(.recordName)
        else { return keep(.comparison(comparison)) }
        let name = operands.intern([OperandName.tree, UInt8(slot >> 8), UInt8(slot & 255)] + bytes)
        if let number = trees.take(name) {
            operands.release(name)
            return number
        }
        return trees.keep(.comparison(comparison), name: name)
    }

    /// The number of a predicate for the plain walk, shared with no other.
    mutating func keep(_ predicate: Predicate) -> UInt32 { trees.keep(predicate) }

    /// The predicate of a number.
    func tree(_ number: UInt32) -> Predicate { trees[number] }

    // MARK: Giving back

    /// Gives back all that the tests of a node hold.
    mutating func release(_ node: PredicateNode) {
        switch node {
        case .always, .never: break
        case .leaf(let leaf, _): release(leaf.instruction)
        case .all(let parts), .any(let parts): for part in parts { release(part) }
        }
    }

    /// Gives back all that an instruction holds.
    mutating func release(_ instruction: Instruction) {
        if instruction.word == 0 { return }
        slots.release(instruction.slot)
        switch instruction.test {
        case .equals, .memberEquals, .textLess, .textLessOrEqual, .textGreater, .textGreaterOrEqual, .begins, .ends,
            .contains:
            operands.release(instruction.operand)
        case .isIn, .memberOfAny, .membersOfAll, .tokensAll, .tokensAny:
            let numbers = set(instruction.operand)
            for number in numbers { operands.release(number) }
            sets.release(instruction.operand, count: numbers.count + 1)
        case .like: operands.release(patterns.release(instruction.operand))
        case .tree: operands.release(trees.release(instruction.operand))
        case .jump, .accept, .present, .less, .lessOrEqual, .greater, .greaterOrEqual, .lessWide, .lessOrEqualWide,
            .greaterWide, .greaterOrEqualWide, .lessDouble, .lessOrEqualDouble, .greaterDouble, .greaterOrEqualDouble:
            break
        }
    }
}
