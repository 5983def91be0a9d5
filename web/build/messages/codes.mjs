import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'

const SERVICE = ['src', 'plugins', 'routes'].map((folder) => path.join(import.meta.dirname, '../../..', folder))
const CODE = /^[a-z]+(?:_[a-z]+)*$/

/** Returns the error codes that the sources of the service name. */
export function findCodes() {
  const files = SERVICE.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => path.join(folder, file)),
  )
  return codesOf(files.filter((file) => file.endsWith('.ts')).map((file) => readFileSync(file, 'utf8')))
}

/**
 * Returns the error codes in these sources: each string that is given for a parameter named `code`, in `new` of a
 * refusal, in `super` or in a call of a function of the same file, each default of such a parameter, and each property
 * `code` in the arguments of a refusal or beside a `message`.
 * @param {string[]} texts
 */
export function codesOf(texts) {
  const sources = texts.map((text) => ts.createSourceFile('a.ts', text, ts.ScriptTarget.Latest, true))
  const classes = new Map(sources.flatMap((source) => source.statements.filter(ts.isClassDeclaration).map(describe)))
  /** @type {Set<string>} */
  const codes = new Set()
  for (const source of sources) {
    const functions = functionsOf(source)
    /** @param {ts.Node} node @param {string | undefined} base class that the surrounding class extends */
    const visit = (node, base) => {
      const inner = ts.isClassDeclaration(node) ? describe(node)[1].base : base
      for (const value of valuesOf(node, inner, classes, functions)) if (CODE.test(value)) codes.add(value)
      ts.forEachChild(node, (child) => visit(child, inner))
    }
    visit(source, undefined)
  }
  return codes
}

/** @typedef {{ base: string | undefined, at: number | undefined }} Described the position of the parameter `code` */

/**
 * @param {ts.Node} node
 * @param {string | undefined} base
 * @param {Map<string, Described>} classes
 * @param {Map<string, number>} functions
 */
function valuesOf(node, base, classes, functions) {
  if (ts.isPropertyAssignment(node)) {
    const isCode = node.name.getText() === 'code'
    return isCode && isOfRefusal(node.parent, classes) ? stringsOf(node.initializer) : []
  }
  if (ts.isParameter(node)) {
    const isCode = node.name.getText() === 'code'
    return isCode && ts.isConstructorDeclaration(node.parent) && isRefusal(base, classes)
      ? stringsOf(node.initializer)
      : []
  }
  if (!ts.isNewExpression(node) && !ts.isCallExpression(node)) return []
  const name = node.expression.getText()
  if (name === 'super') return isRefusal(base, classes) ? stringsOf(node.arguments?.[positionIn(base, classes)]) : []
  if (ts.isNewExpression(node)) {
    return isRefusal(name, classes) ? stringsOf(node.arguments?.[positionIn(name, classes)]) : []
  }
  return stringsOf(node.arguments[functions.get(name) ?? -1])
}

/** @param {string | undefined} name @param {Map<string, Described>} classes @returns {boolean} */
function isRefusal(name, classes) {
  return name === 'Refusal' || (name !== undefined && isRefusal(classes.get(name)?.base, classes))
}

/** Returns the position of the code among the arguments of a class. @param {string | undefined} name @param {Map<string, Described>} classes @returns {number} */
function positionIn(name, classes) {
  const described = classes.get(name ?? '')
  return described === undefined ? -1 : (described.at ?? positionIn(described.base, classes))
}

/** @param {ts.Node} object @param {Map<string, Described>} classes */
function isOfRefusal(object, classes) {
  if (!ts.isObjectLiteralExpression(object)) return false
  if (object.properties.some((property) => property.name?.getText() === 'message')) return true
  const { parent } = object
  return (ts.isNewExpression(parent) && isRefusal(parent.expression.getText(), classes)) || isSuper(parent)
}

/** @param {ts.Node} node */
const isSuper = (node) => ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.SuperKeyword

/** Returns the strings that an expression can be. @param {ts.Node | undefined} node @returns {string[]} */
function stringsOf(node) {
  if (node === undefined) return []
  if (ts.isConditionalExpression(node)) return [...stringsOf(node.whenTrue), ...stringsOf(node.whenFalse)]
  return ts.isStringLiteral(node) ? [node.text] : []
}

/** @param {ts.ClassDeclaration} node @returns {[string, Described]} */
function describe(node) {
  const base = node.heritageClauses?.find(({ token }) => token === ts.SyntaxKind.ExtendsKeyword)?.types[0]?.expression
  const creation = node.members.find(ts.isConstructorDeclaration)
  return [node.name?.text ?? '', { base: base?.getText(), at: creation && codeAmong(creation.parameters) }]
}

/** Returns the functions of a source that have a parameter `code`, with its position. @param {ts.SourceFile} source */
function functionsOf(source) {
  /** @type {Map<string, number>} */
  const found = new Map()
  /** @param {ts.Node} node */
  const visit = (node) => {
    const made = ts.isVariableDeclaration(node) ? node.initializer : node
    if (made !== undefined && (ts.isArrowFunction(made) || ts.isFunctionDeclaration(made))) {
      const name = ts.isVariableDeclaration(node) ? node.name.getText() : made.name?.getText()
      const at = codeAmong(made.parameters)
      if (name !== undefined && at >= 0) found.set(name, at)
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

/** @param {ts.NodeArray<ts.ParameterDeclaration>} parameters */
const codeAmong = (parameters) => parameters.findIndex(({ name }) => name.getText() === 'code')
