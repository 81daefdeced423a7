import Dispatch
import Foundation

/// Combine's subjects and publishers that never fail, as far as the code bases subscribe to them.
public protocol Publisher<Output> {
    associatedtype Output
    func receive(_ receiver: @escaping (Output) -> Void) -> AnyCancellable
}

extension Publisher {
    public func sink(receiveValue: @escaping (Output) -> Void) -> AnyCancellable { receive(receiveValue) }

    public func eraseToAnyPublisher() -> AnyPublisher<Output, Never> { AnyPublisher { receive($0) } }

    public func receive(on queue: DispatchQueue) -> AnyPublisher<Output, Never> {
        AnyPublisher { receiver in
            let box = UncheckedBox(value: receiver)
            return receive { value in
                let value = UncheckedBox(value: value)
                queue.async { box.value(value.value) }
            }
        }
    }
}

// Unchecked: Combine passes values between queues without asking for Sendable, and apps are compiled as they are.
struct UncheckedBox<Value>: @unchecked Sendable { let value: Value }

public struct AnyPublisher<Output, Failure: Error>: Publisher {
    let subscribe: (@escaping (Output) -> Void) -> AnyCancellable
    public func receive(_ receiver: @escaping (Output) -> Void) -> AnyCancellable { subscribe(receiver) }
}

/// Ends a subscription when it is cancelled or released.
public final class AnyCancellable: Hashable {
    private let end: () -> Void
    init(_ end: @escaping () -> Void) { self.end = end }
    deinit { end() }
    public func cancel() { end() }
    public func store(in set: inout Set<AnyCancellable>) { set.insert(self) }
    public static func == (one: AnyCancellable, other: AnyCancellable) -> Bool { one === other }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// The subscribers of a subject, and the latest value of one that keeps it. Unchecked: everything is under the lock.
class Subscribers<Output>: @unchecked Sendable {
    private let lock = NSRecursiveLock()
    private var receivers: [Int: (Output) -> Void] = [:]
    private var next = 0
    private var latest: Output?

    init(latest: Output?) { self.latest = latest }

    var value: Output? { lock.withLock { latest } }

    func send(_ output: Output, isKept: Bool) {
        let receivers = lock.withLock {
            if isKept { latest = output }
            return Array(self.receivers.values)
        }
        for receiver in receivers { receiver(output) }
    }

    func receive(_ receiver: @escaping (Output) -> Void) -> AnyCancellable {
        lock.lock()
        next += 1
        let (id, latest) = (next, latest)
        receivers[id] = receiver
        lock.unlock()
        if let latest { receiver(latest) }
        return AnyCancellable { [self] in lock.withLock { receivers[id] = nil } }
    }
}

public final class CurrentValueSubject<Output, Failure: Error>: Publisher {
    private let subscribers: Subscribers<Output>
    public init(_ value: Output) { subscribers = Subscribers(latest: value) }
    public var value: Output {
        get { subscribers.value! }
        set { send(newValue) }
    }
    public func send(_ value: Output) { subscribers.send(value, isKept: true) }
    public func receive(_ receiver: @escaping (Output) -> Void) -> AnyCancellable { subscribers.receive(receiver) }
}

public final class PassthroughSubject<Output, Failure: Error>: Publisher {
    private let subscribers = Subscribers<Output>(latest: nil)
    public init() {}
    public func send(_ value: Output) { subscribers.send(value, isKept: false) }
    public func receive(_ receiver: @escaping (Output) -> Void) -> AnyCancellable { subscribers.receive(receiver) }
}

/// Of the package swift-collections.
public typealias Deque<Element> = [Element]
