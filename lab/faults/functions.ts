import path from 'node:path'
import ts from 'typescript'

/** An exported function of a source file; a method of an exported class has the name `Class.method`. */
export interface ExportedFunction {
  name: string
  /** Source text of the whole declaration */
  text: string
  /** Position of `text` in the file */
  start: number
}

/**
 * Lists the functions that a file exports: declarations, constants that are a function or a call with a function as an
 * argument (such as `fastifyPlugin(async (app) => …)`), and public methods of classes.
 */
export function listExportedFunctions(file: string, source: string): ExportedFunction[] {
  const tree = ts.createSourceFile(path.basename(file), source, ts.ScriptTarget.ES2022, true)
  const exportedByName = new Set(tree.statements.flatMap(namesOfExport))
  const isExported = (node: ts.Declaration, name: string) =>
    exportedByName.has(name) || (ts.getCombinedModifierFlags(node) & ts.ModifierFlags.Export) !== 0
  const found: ExportedFunction[] = []
  const add = (name: string, node: ts.Node) =>
    found.push({ name, text: node.getText(tree), start: node.getStart(tree) })

  for (const statement of tree.statements) {
    if (ts.isFunctionDeclaration(statement) && statement.body !== undefined) {
      const name = statement.name?.text ?? 'default'
      if (isExported(statement, name)) add(name, statement)
    } else if (ts.isVariableStatement(statement)) {
      for (const declaration of statement.declarationList.declarations) {
        const name = declaration.name.getText(tree)
        if (isExported(declaration, name) && isFunction(declaration.initializer)) add(name, declaration)
      }
    } else if (ts.isClassDeclaration(statement) && statement.name !== undefined) {
      if (!isExported(statement, statement.name.text)) continue
      for (const member of statement.members) {
        const name = member.name?.getText(tree) ?? 'constructor'
        const isPublic = (ts.getCombinedModifierFlags(member) & ts.ModifierFlags.Private) === 0 && !name.startsWith('#')
        if (ts.isMethodDeclaration(member) && isPublic) add(`${statement.name.text}.${name}`, member)
      }
    } else if (ts.isExportAssignment(statement) && isFunction(statement.expression)) {
      add('default', statement)
    }
  }
  return found
}

function isFunction(node: ts.Expression | undefined): boolean {
  if (node === undefined) return false
  if (ts.isArrowFunction(node) || ts.isFunctionExpression(node)) return true
  return ts.isCallExpression(node) && node.arguments.some(isFunction)
}

/** Returns the names of `export default name` and `export { name }`. */
function namesOfExport(statement: ts.Statement): string[] {
  if (ts.isExportAssignment(statement)) {
    return ts.isIdentifier(statement.expression) ? [statement.expression.text] : []
  }
  if (!ts.isExportDeclaration(statement) || statement.moduleSpecifier !== undefined) return []
  if (statement.exportClause === undefined || !ts.isNamedExports(statement.exportClause)) return []
  return statement.exportClause.elements.map(({ name, propertyName }) => (propertyName ?? name).text)
}
