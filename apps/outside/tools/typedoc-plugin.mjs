/** Shows ports, errors and schemas as their users see them, without what they have from Effect. */
import {
  Converter,
  DeclarationReflection,
  ReferenceType,
  ReflectionFlag,
  ReflectionKind,
  ReflectionType,
  TypeScript as ts
} from "typedoc"

/** Gives the type of a schema, `type Pet = typeof Pet.Type`, this name wherever it is used. */
const nameTypes = (program) => {
  const checker = program.getTypeChecker()
  for (const file of program.getSourceFiles())
    for (const { name, type } of file.statements.filter(ts.isTypeAliasDeclaration))
      if (!file.fileName.includes("/node_modules/") && ts.isTypeQueryNode(type))
        checker.getTypeFromTypeNode(type).aliasSymbol ??= checker.getSymbolAtLocation(name)
}

/** Whether a type combines objects, such as `Methods & { … }`; a brand combines an object and a text or number. */
const isCombined = (type) =>
  type.isIntersection() && type.types.every(({ flags }) => flags & ts.TypeFlags.Object)

/** The properties of a type; functions among them are shown as methods. */
const membersOf = (context, type) => {
  const members = new DeclarationReflection("__type", ReflectionKind.TypeLiteral, context.scope)
  context.registerReflection(members, undefined)
  const scope = context.withScope(members)
  for (const symbol of type.getProperties()) {
    const own = context.checker.getTypeOfSymbol(symbol)
    if (!isCombined(own)) context.converter.convertSymbol(scope, symbol)
    else {
      const member = scope.createDeclarationReflection(ReflectionKind.Property, symbol)
      member.type = membersOf(scope.withScope(member), own)
      scope.finalizeDeclarationReflection(member)
    }
  }
  for (const member of members.children ?? []) {
    const call = member.type instanceof ReflectionType && member.type.declaration
    if (!call?.signatures) continue
    for (const signature of call.signatures)
      Object.assign(signature, { name: member.name, comment: member.comment })
    context.project.mergeReflections(call, member)
    Object.assign(member, { kind: ReflectionKind.Method, comment: undefined, type: undefined })
  }
  return new ReflectionType(members)
}

/** What a class extends: `Context.Tag` in `Context.Tag("PetStore")<PetStore, { … }>()`. */
const rootOf = (node) =>
  ts.isCallExpression(node) || !ts.isIdentifier(node.expression ?? node)
    ? rootOf(node.expression)
    : node

/** With the members of its service if it is a tag, and what it declares itself. */
const showClass = (context, reflection, { expression }) => {
  const { checker, converter, project } = context
  const root = rootOf(expression)
  if (!converter.isExternal(context.getSymbolAtLocation(root), checker)) return
  const parent = ReferenceType.createBrokenReference(root.getText(), project)
  for (const type of reflection.extendedTypes) project.removeTypeReflections(type)
  reflection.extendedTypes = [parent]
  for (const child of [...(reflection.children ?? [])]) {
    if (child.kindOf(ReflectionKind.Constructor) && child.inheritedFrom)
      project.removeReflection(child)
    delete child.defaultValue
    for (const part of [child, ...child.getAllSignatures()]) {
      delete part.inheritedFrom
      delete part.overwrites
      part.setFlag(ReflectionFlag.Inherited, false)
    }
  }
  if (parent.name !== "Context.Tag") return
  const scope = context.withScope(reflection)
  const [, service] = expression.typeArguments
  const type = checker.getTypeFromTypeNode(service)
  if (ts.isTypeReferenceNode(service) || ts.isIndexedAccessTypeNode(service))
    parent.typeArguments = expression.typeArguments.map((node) =>
      converter.convertType(scope, node)
    )
  // A text or a union has no members of its own.
  if (type.isUnion() || !(type.flags & ts.TypeFlags.Object)) return
  project.mergeReflections(membersOf(scope, type).declaration, reflection)
  for (const { name } of type.getProperties()) {
    const member = reflection.getChildByName([name])
    if (!member || member.signatures?.some((signature) => !signature.hasComment()))
      context.logger.error(`${reflection.name}.${name} is not shown with a comment`)
  }
}

/** Without the name that the type has elsewhere. */
const showAlias = (context, reflection, type) => {
  const { aliasSymbol } = type
  const scope = context.withScope(reflection)
  context.project.removeTypeReflections(reflection.type)
  delete type.aliasSymbol
  reflection.type = isCombined(type)
    ? membersOf(scope, type)
    : context.converter.convertType(scope, type)
  type.aliasSymbol = aliasSymbol
}

/** As what it decodes to and how it is encoded; its own type is long. */
const showSchema = (context, reflection, type) => {
  const schema = ReferenceType.createBrokenReference("Schema.Schema", context.project)
  const scope = context.withScope(reflection)
  context.project.removeTypeReflections(reflection.type)
  schema.typeArguments = ["Type", "Encoded"].map((name) =>
    context.converter.convertType(scope, context.checker.getTypeOfSymbol(type.getProperty(name)))
  )
  reflection.type = schema
}

export const load = ({ converter }) => {
  converter.on(Converter.EVENT_BEGIN, ({ programs }) => programs.forEach(nameTypes))
  converter.on(Converter.EVENT_CREATE_DECLARATION, (context, reflection) => {
    const symbol = context.getSymbolFromReflection(reflection)
    const declarations = symbol?.declarations ?? []
    if (reflection.kindOf(ReflectionKind.Class)) {
      const base = declarations.find(ts.isClassDeclaration)?.heritageClauses?.[0]?.types[0]
      if (base) converter.deferConversion(() => showClass(context, reflection, base))
    } else if (reflection.kindOf(ReflectionKind.TypeAlias)) {
      const node = declarations.find(ts.isTypeAliasDeclaration).type
      const type = context.checker.getTypeFromTypeNode(node)
      if (ts.isTypeQueryNode(node) || isCombined(type))
        converter.deferConversion(() => showAlias(context, reflection, type))
    } else if (reflection.kindOf(ReflectionKind.Variable)) {
      const type = context.checker.getTypeOfSymbol(symbol)
      if (type.getProperty("Type") && type.getProperty("Encoded"))
        showSchema(context, reflection, type)
    }
  })
}
