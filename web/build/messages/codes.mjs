import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'

const SERVICE = ['src', 'plugins', 'routes'].map((folder) => path.join(import.meta.dirname, '../../..', folder))
const CODE = /^[a-z]+(?:_[a-z]+)*$/

/**
 * @typedef {{
 *   codes: Map<string, Set<string>>
 *   kinds: Map<string, Set<string>>
 * }} Declared the names of the details by error code, and the names beside each `kind` of details
 */

/** Returns the error codes that the sources of the service name. */
export function findCodes() {
  const files = SERVICE.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => path.join(folder, file)),
  )
  // The app never sends SCIM requests, whose refusals are English.
  const sources = files.filter((file) => file.endsWith('.ts') && !file.includes(`domain${path.sep}scim`))
  return codesOf(sources.map((file) => readFileSync(file, 'utf8')))
}

/**
 * Returns the error codes in these sources with their details. A code is each string that is given for a parameter
 * named `code`, in `new` of a refusal, in `super` or in a call of a function, each default of such a parameter, and each
 * property `code` in the arguments of a refusal or beside a `message`. Its details are the names in the object that is
 * given as `details` beside it; those of a code that is a variable belong to all codes of the file.
 * @param {string[]} texts
 * @returns {Declared}
 */
export function codesOf(texts) {
  const sources = texts.map((text) => ts.createSourceFile('a.ts', text, ts.ScriptTarget.Latest, true))
  const classes = new Map(sources.flatMap((source) => source.statements.filter(ts.isClassDeclaration).map(describe)))
  const exported = new Map(sources.flatMap((source) => [...functionsOf(source, { isExported: true })]))
  /** @type {Declared} */
  const found = { codes: new Map(), kinds: new Map() }
  for (const source of sources) {
    const context = { classes, functions: new Map([...exported, ...functionsOf(source)]) }
    /** @type {Set<string>} */
    const own = new Set()
    /** @type {Set<string>} */
    const shared = new Set()
    /** @param {ts.Node} node @param {string | undefined} base class that the surrounding class extends */
    const visit = (node, base) => {
      const inner = ts.isClassDeclaration(node) ? describe(node)[1].base : base
      const { codes, details } = declaredBy(node, inner, context)
      for (const code of codes ?? []) {
        if (!CODE.test(code)) continue
        own.add(code)
        add(found.codes, code, details)
      }
      if (codes === undefined) for (const name of details) shared.add(name)
      if (ts.isObjectLiteralExpression(node)) {
        for (const kind of stringsOf(propertyOf(node, 'kind'))) add(found.kinds, kind, namesIn(node))
      }
      ts.forEachChild(node, (child) => visit(child, inner))
    }
    visit(source, undefined)
    for (const code of own) add(found.codes, code, shared)
  }
  return found
}

/** @param {Map<string, Set<string>>} map @param {string} key @param {Iterable<string>} names */
function add(map, key, names) {
  map.set(key, new Set([...(map.get(key) ?? []), ...names]))
}

/**
 * @typedef {{ base: string | undefined, at: number | undefined, standard: string | undefined }} Described the position
 * of the parameter `code`, and its default
 * @typedef {{ at: number, detailsAt: number }} Positions of the parameters `code` and `details`
 * @typedef {{ classes: Map<string, Described>, functions: Map<string, Positions> }} Context
 */

/**
 * Returns the codes that a node gives, with the names of their details; `codes` is undefined if the code is a variable.
 * @param {ts.Node} node
 * @param {string | undefined} base
 * @param {Context} context
 * @returns {{ codes: string[] | undefined, details: Iterable<string> }}
 */
function declaredBy(node, base, { classes, functions }) {
  const none = { codes: [], details: [] }
  if (ts.isParameter(node)) {
    const isCode = node.name.getText() === 'code'
    const isOfRefusal = isCode && ts.isConstructorDeclaration(node.parent) && isRefusal(base, classes)
    return isOfRefusal ? { codes: stringsOf(node.initializer), details: [] } : none
  }
  if (ts.isObjectLiteralExpression(node)) {
    const code = propertyOf(node, 'code')
    if (code === undefined || propertyOf(node, 'message') === undefined) return none
    return { codes: literally(code), details: namesIn(propertyOf(node, 'details')) }
  }
  if (!ts.isNewExpression(node) && !ts.isCallExpression(node)) return none
  const name = node.expression.getText()
  const type = name === 'super' ? base : name
  if ((name === 'super' || ts.isNewExpression(node)) && isRefusal(type, classes)) {
    const options = (node.arguments ?? []).filter(ts.isObjectLiteralExpression)
    const given = [node.arguments?.[positionIn(type, classes)], ...options.map((object) => propertyOf(object, 'code'))]
    const details = options.flatMap((object) => [...namesIn(propertyOf(object, 'details'))])
    const code = given.find((one) => one !== undefined && one.getText() !== 'undefined')
    return { codes: code === undefined ? standardOf(type, classes) : literally(code), details }
  }
  const positions = functions.get(name)
  if (positions === undefined || ts.isNewExpression(node)) return none
  return { codes: stringsOf(node.arguments[positions.at]), details: namesIn(node.arguments[positions.detailsAt]) }
}

/** Returns the strings that an expression can be; undefined if it is a variable. @param {ts.Node} node */
function literally(node) {
  const strings = stringsOf(node)
  return strings.length > 0 ? strings : undefined
}

/** Returns the value of a property, which is an identifier if the property is a shorthand. @param {ts.ObjectLiteralExpression} object @param {string} name */
function propertyOf(object, name) {
  const property = object.properties.find((one) => one.name?.getText() === name)
  if (property === undefined) return undefined
  return ts.isPropertyAssignment(property) ? property.initializer : property.name
}

/**
 * Returns the names in an object, or in the object of the variable that a block around the node declares.
 * @param {ts.Node | undefined} node
 * @returns {Set<string>}
 */
function namesIn(node) {
  if (node === undefined) return new Set()
  if (ts.isObjectLiteralExpression(node)) {
    return new Set(node.properties.flatMap((property) => property.name?.getText() ?? []))
  }
  if (!ts.isIdentifier(node)) return new Set()
  for (let block = node.parent; block !== undefined; block = block.parent) {
    if (!ts.isBlock(block) && !ts.isSourceFile(block)) continue
    const declared = block.statements
      .filter(ts.isVariableStatement)
      .flatMap(({ declarationList }) => [...declarationList.declarations])
      .find(({ name }) => name.getText() === node.text)?.initializer
    if (declared !== undefined) return ts.isObjectLiteralExpression(declared) ? namesIn(declared) : new Set()
  }
  return new Set()
}

/** Returns the default code of a class. @param {string | undefined} name @param {Map<string, Described>} classes @returns {string[]} */
function standardOf(name, classes) {
  const described = classes.get(name ?? '')
  if (described === undefined) return []
  return described.standard === undefined ? standardOf(described.base, classes) : [described.standard]
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
  const at = creation && indexOf('code', creation.parameters)
  const [standard] = stringsOf(creation?.parameters[at ?? -1]?.initializer)
  return [node.name?.text ?? '', { base: base?.getText(), at, standard }]
}

/**
 * Returns the functions of a source that have a parameter `code`.
 * @param {ts.SourceFile} source
 * @param {{ isExported?: boolean }} [options] whether only the exported functions are wanted
 */
function functionsOf(source, { isExported = false } = {}) {
  /** @type {Map<string, Positions>} */
  const found = new Map()
  /** @param {ts.Node} node */
  const visit = (node) => {
    const made = ts.isVariableDeclaration(node) ? node.initializer : node
    const isWanted = !isExported || (ts.isFunctionDeclaration(node) && node.modifiers?.some(isExport))
    if (isWanted && made !== undefined && (ts.isArrowFunction(made) || ts.isFunctionDeclaration(made))) {
      const name = ts.isVariableDeclaration(node) ? node.name.getText() : made.name?.getText()
      const at = indexOf('code', made.parameters)
      if (name !== undefined && at >= 0) found.set(name, { at, detailsAt: indexOf('details', made.parameters) })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

/** @param {ts.ModifierLike} modifier */
const isExport = ({ kind }) => kind === ts.SyntaxKind.ExportKeyword

/** @param {string} wanted @param {ts.NodeArray<ts.ParameterDeclaration>} parameters */
const indexOf = (wanted, parameters) => parameters.findIndex(({ name }) => name.getText() === wanted)
