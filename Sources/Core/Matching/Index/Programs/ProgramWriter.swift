/// Writes the tests of a node as a program that needs no stack: each jumps when its outcome settles what it is part of.
struct ProgramWriter {
    private(set) var words: [UInt64] = []
    /// Instructions whose target is not known yet: their places, and the labels that they jump to.
    private var jumps: [(index: Int, label: Int)] = []
    /// The places of the labels.
    private var labels: [Int] = []
    private var lastInstruction = 0

    private static let accept = -1
    private static let reject = -2

    /// True if jumps to labels have words of their own, for any distance.
    private var isFar = false

    /// The program of a node, cheap tests first; empty when no event satisfies it.
    static func program(of node: PredicateNode) -> [UInt64] {
        switch node {
        case .always: return [0]
        case .never: return []
        default:
            let node = node.ordered
            return program(node, isFar: false) ?? program(node, isFar: true) ?? []
        }
    }

    /// The program; nil when a jump is too far.
    private static func program(_ node: PredicateNode, isFar: Bool) -> [UInt64]? {
        var writer = ProgramWriter()
        writer.isFar = isFar
        writer.write(node, whenTrue: accept, whenFalse: reject, next: accept)
        var last = Instruction(word: writer.words[writer.lastInstruction])
        last.markLast()
        writer.words[writer.lastInstruction] = last.word
        for jump in writer.jumps {
            var instruction = Instruction(word: writer.words[jump.index])
            let skip = writer.labels[jump.label] - jump.index - (instruction.isWide ? 2 : 1)
            if isFar {
                writer.words[jump.index] = Instruction.jump(over: UInt32(skip)).word
                continue
            }
            guard skip <= Instruction.skipMax else { return nil }
            instruction.jump(UInt64(skip), on: instruction.jumpsOn)
            writer.words[jump.index] = instruction.word
        }
        return writer.words
    }

    /// Writes a node that ends at one of two labels. `next` is the one that follows it.
    private mutating func write(_ node: PredicateNode, whenTrue: Int, whenFalse: Int, next: Int) {
        switch node {
        case .always, .never: preconditionFailure("constants are folded before a program is written")
        case .leaf(let leaf, let isNegated):
            let jumpsOnTrue = whenFalse == next
            write(leaf, jumpingOn: jumpsOnTrue != isNegated, to: jumpsOnTrue ? whenTrue : whenFalse)
        case .all(let parts): write(parts, goingOnWhen: true, whenTrue: whenTrue, whenFalse: whenFalse, next: next)
        case .any(let parts): write(parts, goingOnWhen: false, whenTrue: whenTrue, whenFalse: whenFalse, next: next)
        }
    }

    /// Writes parts one after the other: the outcome that settles nothing goes on with the next of them.
    private mutating func write(
        _ parts: [PredicateNode], goingOnWhen outcome: Bool, whenTrue: Int, whenFalse: Int, next: Int
    ) {
        for part in parts.dropLast() {
            let label = newLabel()
            write(part, whenTrue: outcome ? label : whenTrue, whenFalse: outcome ? whenFalse : label, next: label)
            labels[label] = words.count
        }
        if let last = parts.last { write(last, whenTrue: whenTrue, whenFalse: whenFalse, next: next) }
    }

    private mutating func newLabel() -> Int {
        labels.append(0)
        return labels.count - 1
    }

    private mutating func write(_ leaf: PredicateLeaf, jumpingOn outcome: Bool, to label: Int) {
        var instruction = leaf.instruction
        switch label {
        case Self.accept: instruction.jump(Instruction.jumpAccept, on: outcome)
        case Self.reject: instruction.jump(Instruction.jumpReject, on: outcome)
        default:
            if isFar {
                // Over the jump that follows, when there is nothing to jump for.
                instruction.jump(1, on: !outcome)
            } else {
                instruction.jump(0, on: outcome)
                jumps.append((words.count, label))
            }
        }
        lastInstruction = words.count
        words.append(instruction.word)
        if instruction.isWide { words.append(leaf.wide) }
        guard isFar, label >= 0 else { return }
        jumps.append((words.count, label))
        words.append(0)
    }
}
