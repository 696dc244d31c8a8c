public import Observation

// The declarations of SwiftUI that ErrorPresentation and its page on apps use, written after Apple's documentation of
// SwiftUI, and without their implementations. Code that type-checks against them was not run, and not shown on a
// screen.

@MainActor @preconcurrency public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
}
extension Never: View { public var body: Never { return fatalError() } }
extension Optional: View where Wrapped: View { public var body: Never { return fatalError() } }
public struct Shown: View { public var body: Never { return fatalError() } }
@resultBuilder public enum ViewBuilder {
    public static func buildExpression<V: View>(_ view: V) -> V { view }
    public static func buildBlock<V: View>(_ view: V) -> V { view }
    public static func buildBlock<each V: View>(_ views: repeat each V) -> Shown { fatalError() }
    public static func buildIf<V: View>(_ view: V?) -> V? { view }
    public static func buildEither<V: View>(first: V) -> Shown { fatalError() }
    public static func buildEither<V: View>(second: V) -> Shown { fatalError() }
}
@MainActor @preconcurrency public protocol Scene {
    associatedtype Body: Scene
    @SceneBuilder var body: Body { get }
}
extension Never: Scene {}
@resultBuilder public enum SceneBuilder {
    public static func buildBlock<S: Scene>(_ scene: S) -> S { fatalError() }
}
@MainActor @preconcurrency public protocol App {
    associatedtype Body: Scene
    @SceneBuilder var body: Body { get }
    init()
}
extension App { public static func main() { fatalError() } }
public struct WindowGroup<Content: View>: Scene {
    public init(@ViewBuilder content: () -> Content) { fatalError() }
    public var body: Never { return fatalError() }
}
public enum ScenePhase { case background, inactive, active }
extension Scene {
    public func onChange<V: Equatable>(
        of value: V, initial: Bool = false, _ action: @escaping (V, V) -> Void
    ) -> some Scene { self }
}

@propertyWrapper public struct State<Value> {
    public init(wrappedValue: Value) { fatalError() }
    public var wrappedValue: Value { get { fatalError() } nonmutating set {} }
    public var projectedValue: Binding<Value> { fatalError() }
}
@propertyWrapper @dynamicMemberLookup public struct Binding<Value> {
    public init(
        get: @escaping @isolated(any) @Sendable () -> Value, set: @escaping @isolated(any) @Sendable (Value) -> Void
    ) { fatalError() }
    public var wrappedValue: Value { get { fatalError() } nonmutating set {} }
    public var projectedValue: Binding<Value> { self }
    public static func constant(_ value: Value) -> Binding<Value> { fatalError() }
    public subscript<Subject>(dynamicMember path: WritableKeyPath<Value, Subject>) -> Binding<Subject> {
        fatalError()
    }
}
@propertyWrapper @dynamicMemberLookup public struct Bindable<Value> {
    public var wrappedValue: Value { get { fatalError() } set {} }
    public var projectedValue: Bindable<Value> { self }
    public init(wrappedValue: Value) where Value: AnyObject, Value: Observable { fatalError() }
    public subscript<Subject>(dynamicMember path: ReferenceWritableKeyPath<Value, Subject>) -> Binding<Subject>
    where Value: AnyObject { fatalError() }
}
public struct EnvironmentValues {
    public var scenePhase: ScenePhase { fatalError() }
}
@propertyWrapper public struct Environment<Value> {
    public init(_ path: KeyPath<EnvironmentValues, Value>) { fatalError() }
    public init(_ type: Value.Type) where Value: AnyObject, Value: Observable { fatalError() }
    public init<T: AnyObject & Observable>(_ type: T.Type) where Value == T? { fatalError() }
    public var wrappedValue: Value { fatalError() }
}

public struct Text: View {
    public init(_ text: some StringProtocol) { fatalError() }
    public var body: Never { return fatalError() }
}
public struct AnyView: View {
    public init(_ view: some View) { fatalError() }
    public var body: Never { return fatalError() }
}
public struct ButtonRole: Sendable { public static let cancel = ButtonRole() }
public struct Button: View {
    public init(_ title: some StringProtocol, action: @escaping @MainActor () -> Void) { fatalError() }
    public init(
        _ title: some StringProtocol, role: ButtonRole?, action: @escaping @MainActor () -> Void
    ) { fatalError() }
    public var body: Never { return fatalError() }
}
public struct TextField: View {
    public init(_ title: some StringProtocol, text: Binding<String>) { fatalError() }
    public var body: Never { return fatalError() }
}
public struct List: View {
    public init<Data: RandomAccessCollection, ID: Hashable>(
        _ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder rowContent: @escaping (Data.Element) -> some View
    ) { fatalError() }
    public var body: Never { return fatalError() }
}
public struct ForEach: View {
    public init<Data: RandomAccessCollection, ID: Hashable>(
        _ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder content: @escaping (Data.Element) -> some View
    ) { fatalError() }
    public var body: Never { return fatalError() }
}
public struct VStack: View {
    public init(@ViewBuilder content: () -> some View) { fatalError() }
    public var body: Never { return fatalError() }
}
public enum VerticalEdge { case top, bottom }

@MainActor @preconcurrency public protocol ViewModifier {
    associatedtype Body: View
    typealias Content = Shown
    @ViewBuilder func body(content: Content) -> Body
}
extension View {
    public func modifier(_ modifier: some ViewModifier) -> some View { self }
    public func environment<T: AnyObject & Observable>(_ object: T?) -> some View { self }
    public func task(
        priority: TaskPriority = .userInitiated,
        @_inheritActorContext _ action: @escaping @Sendable () async -> Void
    ) -> some View { self }
    public func refreshable(
        @_inheritActorContext action: @escaping @Sendable () async -> Void
    ) -> some View { self }
    public func overlay(@ViewBuilder content: () -> some View) -> some View { self }
    public func task<T: Equatable>(
        id value: T, priority: TaskPriority = .userInitiated,
        @_inheritActorContext _ action: @escaping @Sendable () async -> Void
    ) -> some View { self }
    public func sheet<Item: Identifiable>(
        item: Binding<Item?>, onDismiss: (() -> Void)? = nil, @ViewBuilder content: @escaping (Item) -> some View
    ) -> some View { self }
    public func onAppear(perform action: (() -> Void)? = nil) -> some View { self }
    public func onDisappear(perform action: (() -> Void)? = nil) -> some View { self }
    public func safeAreaInset(edge: VerticalEdge, @ViewBuilder content: () -> some View) -> some View { self }
    public func alert<T>(
        _ title: Text, isPresented: Binding<Bool>, presenting data: T?, @ViewBuilder actions: (T) -> some View,
        @ViewBuilder message: (T) -> some View
    ) -> some View { self }
}
