@_exported public import Foundation
public import Observation

// The declarations of SwiftUI that ErrorPresentation and its page on apps use, written by hand and without their
// implementations. They were compared with two open sources that declare the same names as Apple does, skip-fuse-ui and
// OpenSwiftUI; the page "What was checked" has the details. If the two differ, or if Apple's declaration
// accepts more, this file contains the stricter form. It also contains Apple's overloads that the code could mean, so
// that an ambiguous call fails. Code that type-checks against this file was not run, and not shown on a screen. This
// module exports Foundation, as Apple's does to most files in practice.

@MainActor @preconcurrency public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
}
extension Never: View { public var body: Never { return fatalError() } }
extension Optional: View where Wrapped: View { public var body: Never { return fatalError() } }
public struct EmptyView: View { public var body: Never { return fatalError() } }
public struct Shown: View { public var body: Never { return fatalError() } }
@resultBuilder public struct ViewBuilder {
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
extension App { @MainActor @preconcurrency public static func main() { fatalError() } }
public struct WindowGroup<Content: View>: Scene {
    public init(@ViewBuilder content: () -> Content) { fatalError() }
    public var body: Never { return fatalError() }
}
public enum ScenePhase: Comparable, Sendable { case background, inactive, active }
extension Scene {
    // From memory: neither source has it.
    public func onChange<V: Equatable>(
        of value: V, initial: Bool = false, _ action: @escaping (V, V) -> Void
    ) -> some Scene { self }
}

@propertyWrapper public struct State<Value> {
    public init(wrappedValue: Value) { fatalError() }
    public init(initialValue: Value) { fatalError() }
    public var wrappedValue: Value { get { fatalError() } nonmutating set {} }
    public var projectedValue: Binding<Value> { fatalError() }
}
@propertyWrapper @dynamicMemberLookup public struct Binding<Value> {
    // Apple's closures inherit the actor since a later version, and are `@preconcurrency`.
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
public protocol EnvironmentKey {
    associatedtype Value
    static var defaultValue: Value { get }
}
public struct EnvironmentValues {
    public var scenePhase: ScenePhase { fatalError() }
    public var dynamicTypeSize: DynamicTypeSize { get { fatalError() } set {} }
    public var dismiss: DismissAction { fatalError() }
    public subscript<K: EnvironmentKey>(key: K.Type) -> K.Value { get { fatalError() } set {} }
}
public enum DynamicTypeSize: Hashable, Comparable, CaseIterable, Sendable {
    case xSmall, small, medium, large, xLarge, xxLarge, xxxLarge
    case accessibility1, accessibility2, accessibility3, accessibility4, accessibility5
    public var isAccessibilitySize: Bool { fatalError() }
}
@MainActor @preconcurrency public struct DismissAction: Sendable {
    public func callAsFunction() {}
}
@propertyWrapper public struct Environment<Value> {
    public init(_ path: KeyPath<EnvironmentValues, Value>) { fatalError() }
    public init(_ type: Value.Type) where Value: AnyObject, Value: Observable { fatalError() }
    public init<T: AnyObject & Observable>(_ type: T.Type) where Value == T? { fatalError() }
    public var wrappedValue: Value { fatalError() }
}

public struct LocalizedStringKey: Equatable, ExpressibleByStringInterpolation {
    public init(_ value: String) { fatalError() }
    public init(stringLiteral value: String) { fatalError() }
}
public struct Text: View, Equatable, Sendable {
    public init(
        _ key: LocalizedStringKey, tableName: String? = nil, bundle: Bundle? = nil, comment: StaticString? = nil
    ) { fatalError() }
    @_disfavoredOverload public init(_ content: some StringProtocol) { fatalError() }
    public func font(_ font: Font?) -> Text { fatalError() }
    public var body: Never { return fatalError() }
}
public struct Font: Hashable, Sendable {
    public static let headline = Font()
    public static let footnote = Font()
}
public struct AnyView: View {
    public init(_ view: some View) { fatalError() }
    public var body: Never { return fatalError() }
}
public struct Image: View {
    public init(systemName: String) { fatalError() }
    public var body: Never { return fatalError() }
}
public struct Label<Title: View, Icon: View>: View {
    public var body: Never { return fatalError() }
}
public struct ProgressView<Label: View, CurrentValueLabel: View>: View {
    public var body: Never { return fatalError() }
}
extension ProgressView where CurrentValueLabel == EmptyView {
    public init() where Label == EmptyView { fatalError() }
}
public struct ButtonRole: Equatable, Sendable {
    public static let destructive = ButtonRole()
    public static let cancel = ButtonRole()
}
public struct Button<Label: View>: View {
    @preconcurrency public init(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label) {
        fatalError()
    }
    @preconcurrency public init(
        role: ButtonRole?, action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label
    ) { fatalError() }
    public var body: Never { return fatalError() }
}
extension Button where Label == Text {
    @preconcurrency public init(_ titleKey: LocalizedStringKey, action: @escaping @MainActor () -> Void) {
        fatalError()
    }
    @_disfavoredOverload @preconcurrency public init(
        _ title: some StringProtocol, action: @escaping @MainActor () -> Void
    ) { fatalError() }
    @preconcurrency public init(
        _ titleKey: LocalizedStringKey, role: ButtonRole?, action: @escaping @MainActor () -> Void
    ) { fatalError() }
    @_disfavoredOverload @preconcurrency public init(
        _ title: some StringProtocol, role: ButtonRole?, action: @escaping @MainActor () -> Void
    ) { fatalError() }
}
extension Button where Label == SwiftUI.Label<Text, Image> {
    @preconcurrency public init(
        _ titleKey: LocalizedStringKey, systemImage: String, action: @escaping @MainActor () -> Void
    ) { fatalError() }
    @_disfavoredOverload @preconcurrency public init(
        _ title: some StringProtocol, systemImage: String, action: @escaping @MainActor () -> Void
    ) { fatalError() }
}
public struct TextField<Label: View>: View {
    public var body: Never { return fatalError() }
}
extension TextField where Label == Text {
    public init(_ titleKey: LocalizedStringKey, text: Binding<String>) { fatalError() }
    public init(_ titleKey: LocalizedStringKey, text: Binding<String>, prompt: Text?) { fatalError() }
    @_disfavoredOverload public init(_ title: some StringProtocol, text: Binding<String>) { fatalError() }
}
public struct Form<Content: View>: View {
    public init(@ViewBuilder content: () -> Content) { fatalError() }
    public var body: Never { return fatalError() }
}
public struct List<SelectionValue: Hashable, Content: View>: View {
    public var body: Never { return fatalError() }
}
extension List where SelectionValue == Never {
    public init<Data: RandomAccessCollection, ID: Hashable, Row: View>(
        _ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder rowContent: @escaping (Data.Element) -> Row
    ) where Content == ForEach<Data, ID, Row> { fatalError() }
    public init(@ViewBuilder content: () -> Content) { fatalError() }
}
public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content: View>: View {
    public init(
        _ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder content: @escaping (Data.Element) -> Content
    ) { fatalError() }
    public var body: Never { return fatalError() }
}
public struct HorizontalAlignment: Equatable, Sendable {
    public static let leading = HorizontalAlignment()
    public static let center = HorizontalAlignment()
}
public struct VerticalAlignment: Equatable, Sendable { public static let center = VerticalAlignment() }
public struct Alignment: Equatable, Sendable {
    public static let center = Alignment()
    public static let leading = Alignment()
}
public struct VStack<Content: View>: View {
    public init(
        alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content
    ) { fatalError() }
    public var body: Never { return fatalError() }
}
public protocol Layout: Sendable {}
public struct HStackLayout: Layout {
    public init(alignment: VerticalAlignment = .center, spacing: CGFloat? = nil) {}
}
public struct VStackLayout: Layout {
    public init(alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil) {}
}
extension Layout {
    public func callAsFunction<V: View>(@ViewBuilder _ content: () -> V) -> some View { return content() }
}
public struct AnyLayout: Layout {
    public init<L: Layout>(_ layout: L) {}
}
public enum VerticalEdge: Int8, CaseIterable, Sendable { case top, bottom }
public enum HorizontalEdge: Int8, CaseIterable, Sendable { case leading, trailing }
public enum Edge: Int8, CaseIterable, Sendable {
    case top, leading, bottom, trailing
    public struct Set: OptionSet, Sendable {
        public let rawValue: Int8
        public init(rawValue: Int8) { self.rawValue = rawValue }
        public static let all = Set(rawValue: 15)
        public static let horizontal = Set(rawValue: 10)
    }
}
public struct AnyTransition {
    public static var opacity: AnyTransition { fatalError() }
    public static func move(edge: Edge) -> AnyTransition { fatalError() }
    public func combined(with other: AnyTransition) -> AnyTransition { fatalError() }
}
@available(*, unavailable) extension AnyTransition: Sendable {}
@MainActor @preconcurrency public protocol Transition {}
extension Transition {
    @MainActor @preconcurrency public func combined<T: Transition>(with other: T) -> some Transition { self }
}
public struct MoveTransition: Transition {}
public struct OpacityTransition: Transition {}
extension Transition where Self == MoveTransition {
    @MainActor @preconcurrency public static func move(edge: Edge) -> Self { fatalError() }
}
extension Transition where Self == OpacityTransition {
    @MainActor @preconcurrency public static var opacity: OpacityTransition { fatalError() }
}
public struct Animation: Equatable, Sendable { public static let `default` = Animation() }
public protocol ShapeStyle: Sendable {}
public struct Material: ShapeStyle, Sendable {}
extension ShapeStyle where Self == Material { public static var regularMaterial: Material { fatalError() } }
public enum RoundedCornerStyle: Sendable { case circular, continuous }
public struct FillStyle: Equatable, Sendable { public init(eoFill: Bool = false, antialiased: Bool = true) {} }
public protocol Shape: Sendable, View {}
extension Shape { public var body: Never { return fatalError() } }
public protocol InsettableShape: Shape {}
public struct RoundedRectangle: InsettableShape {}
extension Shape where Self == RoundedRectangle {
    nonisolated public static func rect(cornerSize: CGSize, style: RoundedCornerStyle = .continuous) -> Self {
        fatalError()
    }
    nonisolated public static func rect(cornerRadius: CGFloat, style: RoundedCornerStyle = .continuous) -> Self {
        fatalError()
    }
}
@MainActor @preconcurrency public protocol Gesture<Value> {
    associatedtype Value
}
public struct EndedGesture<Base: Gesture>: Gesture { public typealias Value = Base.Value }
extension Gesture {
    nonisolated public func onEnded(_ action: @escaping (Self.Value) -> Void) -> EndedGesture<Self> { fatalError() }
}
public struct GestureMask: OptionSet, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    public static let all = GestureMask(rawValue: 3)
}
public enum CoordinateSpace: Sendable { case global, local }
public protocol CoordinateSpaceProtocol {}
public struct LocalCoordinateSpace: CoordinateSpaceProtocol {}
extension CoordinateSpaceProtocol where Self == LocalCoordinateSpace {
    public static var local: LocalCoordinateSpace { fatalError() }
}
public struct DragGesture: Gesture {
    public struct Value: Equatable, Sendable { public var translation: CGSize { fatalError() } }
    public init(minimumDistance: CGFloat = 10, coordinateSpace: some CoordinateSpaceProtocol = .local) {}
    @_disfavoredOverload public init(minimumDistance: CGFloat = 10, coordinateSpace: CoordinateSpace = .local) {}
}
public struct AccessibilityActionKind: Equatable, Sendable {
    public static let `default` = AccessibilityActionKind()
    public static let escape = AccessibilityActionKind()
}
@MainActor @preconcurrency public protocol LabelStyle {}
public struct IconOnlyLabelStyle: LabelStyle { public init() {} }
extension LabelStyle where Self == IconOnlyLabelStyle {
    public static var iconOnly: IconOnlyLabelStyle { fatalError() }
}

public struct SearchFieldPlacement: Sendable { public static let automatic = SearchFieldPlacement() }
@MainActor @preconcurrency public protocol ViewModifier {
    associatedtype Body: View
    typealias Content = Shown
    @ViewBuilder func body(content: Content) -> Body
}
extension View {
    nonisolated public func modifier(_ modifier: some ViewModifier) -> some View { self }
    nonisolated public func environment<T: AnyObject & Observable>(_ object: T?) -> some View { self }
    nonisolated public func environment<V>(
        _ keyPath: WritableKeyPath<EnvironmentValues, V>, _ value: V
    ) -> some View { self }
    nonisolated public func id<ID: Hashable>(_ id: ID) -> some View { self }
    nonisolated public func disabled(_ disabled: Bool) -> some View { self }
    nonisolated public func font(_ font: Font?) -> some View { self }
    nonisolated public func padding(_ edges: Edge.Set = .all, _ length: CGFloat? = nil) -> some View { self }
    nonisolated public func frame(
        minWidth: CGFloat? = nil, idealWidth: CGFloat? = nil, maxWidth: CGFloat? = nil, minHeight: CGFloat? = nil,
        idealHeight: CGFloat? = nil, maxHeight: CGFloat? = nil, alignment: Alignment = .center
    ) -> some View { self }
    nonisolated public func background<S: ShapeStyle, T: Shape>(
        _ style: S, in shape: T, fillStyle: FillStyle = FillStyle()
    ) -> some View { self }
    nonisolated public func background<S: ShapeStyle, T: InsettableShape>(
        _ style: S, in shape: T, fillStyle: FillStyle = FillStyle()
    ) -> some View { self }
    nonisolated public func labelStyle<S: LabelStyle>(_ style: S) -> some View { self }
    @_disfavoredOverload nonisolated public func transition(_ t: AnyTransition) -> some View { self }
    nonisolated public func transition<T: Transition>(_ transition: T) -> some View { self }
    nonisolated public func animation<V: Equatable>(_ animation: Animation?, value: V) -> some View { self }
    nonisolated public func gesture<T: Gesture>(_ gesture: T, including mask: GestureMask = .all) -> some View { self }
    nonisolated public func accessibilityAction(
        _ actionKind: AccessibilityActionKind = .default, _ handler: @escaping () -> Void
    ) -> some View { self }
    nonisolated public func onChange<V: Equatable>(
        of value: V, initial: Bool = false, _ action: @escaping () -> Void
    ) -> some View { self }
    nonisolated public func onChange<V: Equatable>(
        of value: V, initial: Bool = false, _ action: @escaping (_ oldValue: V, _ newValue: V) -> Void
    ) -> some View { self }
    @available(*, deprecated) nonisolated public func onChange<V: Equatable>(
        of value: V, perform action: @escaping (_ newValue: V) -> Void
    ) -> some View { self }
    nonisolated public func searchable(
        text: Binding<String>, placement: SearchFieldPlacement = .automatic, prompt: Text? = nil
    ) -> some View { self }
    nonisolated public func searchable(
        text: Binding<String>, placement: SearchFieldPlacement = .automatic, prompt: LocalizedStringKey
    ) -> some View { self }
    nonisolated public func task(
        priority: TaskPriority = .userInitiated,
        @_inheritActorContext _ action: @escaping @Sendable () async -> Void
    ) -> some View { self }
    nonisolated public func refreshable(action: @escaping @Sendable () async -> Void) -> some View { self }
    nonisolated public func overlay<V: View>(
        alignment: Alignment = .center, @ViewBuilder content: () -> V
    ) -> some View { self }
    nonisolated public func task<T: Equatable>(
        id value: T, priority: TaskPriority = .userInitiated,
        @_inheritActorContext _ action: @escaping @Sendable () async -> Void
    ) -> some View { self }
    nonisolated public func sheet<Item: Identifiable, Content: View>(
        item: Binding<Item?>, onDismiss: (() -> Void)? = nil, @ViewBuilder content: @escaping (Item) -> Content
    ) -> some View { self }
    nonisolated public func onAppear(perform action: (() -> Void)? = nil) -> some View { self }
    nonisolated public func onDisappear(perform action: (() -> Void)? = nil) -> some View { self }
    nonisolated public func safeAreaInset<V: View>(
        edge: VerticalEdge, alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil,
        @ViewBuilder content: () -> V
    ) -> some View { self }
    nonisolated public func safeAreaInset<V: View>(
        edge: HorizontalEdge, alignment: VerticalAlignment = .center, spacing: CGFloat? = nil,
        @ViewBuilder content: () -> V
    ) -> some View { self }
    nonisolated public func alert<A: View, M: View, T>(
        _ titleKey: LocalizedStringKey, isPresented: Binding<Bool>, presenting data: T?,
        @ViewBuilder actions: (T) -> A, @ViewBuilder message: (T) -> M
    ) -> some View { self }
    nonisolated public func alert<A: View, T>(
        _ title: Text, isPresented: Binding<Bool>, presenting data: T?, @ViewBuilder actions: (T) -> A
    ) -> some View { self }
    nonisolated public func alert<A: View, M: View, T>(
        _ title: Text, isPresented: Binding<Bool>, presenting data: T?, @ViewBuilder actions: (T) -> A,
        @ViewBuilder message: (T) -> M
    ) -> some View { self }
}
