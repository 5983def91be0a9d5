import { parse } from 'svelte/compiler'
import * as rules from './rules.mjs'

/**
 * Finds the German texts of a source file, and returns the source with their translations in place. The rest of the
 * source stays as it is, so that a translated build runs the same code.
 * @param {string} source
 * @param {string} file name that ends in `.svelte` or `.ts`
 * @param {(message: string) => Translation | undefined} translate called with each message of the file; a message that
 * it has no translation for stays German
 * @returns {string}
 * @typedef {string | Record<string, string>} Translation a text, or the forms of a noun by plural category
 */
export function translateSource(source, file, translate) {
  const prefix = file.endsWith('.svelte') ? '' : '<script lang="ts">'
  const code = prefix === '' ? source : `${prefix}${source}</script>`
  const edits = new Edits(code)
  new Walk(code, edits, translate).root(parse(code, { modern: true, filename: file }))
  const translated = edits.apply(0, code.length)
  return prefix === '' ? translated : translated.slice(prefix.length, -'</script>'.length)
}

/** Replacements of ranges of a text. A later replacement of a range takes the place of the ones inside it. */
class Edits {
  /** @type {{ start: number, end: number, text: string }[]} */
  #all = []
  #code

  /** @param {string} code */
  constructor(code) {
    this.#code = code
  }

  /** @param {number} start @param {number} end @param {string} text */
  replace(start, end, text) {
    this.#all = this.#all.filter((edit) => edit.end <= start || edit.start >= end)
    this.#all.push({ start, end, text })
  }

  /** Returns the text of a range with its replacements. @param {number} start @param {number} end */
  apply(start, end) {
    let text = ''
    let at = start
    for (const edit of this.#all
      .filter((one) => one.start >= start && one.end <= end)
      .sort((a, b) => a.start - b.start)) {
      text += this.#code.slice(at, edit.start) + edit.text
      at = edit.end
    }
    return text + this.#code.slice(at, end)
  }
}

/** @typedef {any} Node a node of the syntax tree of Svelte or of a script */

class Walk {
  #code
  #edits
  #translate

  /** @param {string} code @param {Edits} edits @param {(message: string) => Translation | undefined} translate */
  constructor(code, edits, translate) {
    this.#code = code
    this.#edits = edits
    this.#translate = translate
  }

  /** @param {Node} root */
  root(root) {
    for (const script of [root.module, root.instance]) if (script) this.#script(script.content)
    this.#fragment(root.fragment.nodes)
  }

  // Markup

  /** @param {Node[]} nodes */
  #fragment(nodes) {
    const sentences = sentencesOf(nodes)
    const inSentence = new Set(sentences.flat())
    for (const node of nodes) this.#markup(node, inSentence.has(node))
    for (const run of sentences) this.#sentence(run)
  }

  /** @param {Node} node @param {boolean} isInSentence whether the texts of an inline element belong to a longer one */
  #markup(node, isInSentence) {
    if (node === null || node === undefined) return
    switch (node.type) {
      case 'Text':
      case 'Comment':
        return
      case 'ExpressionTag':
        return this.#shown(node.expression)
      case 'ConstTag':
        return this.#script(node.declaration)
      case 'SnippetBlock':
        // Parameters may have texts as default values.
        for (const parameter of node.parameters) this.#script(parameter)
        return this.#fragment(node.body.nodes)
    }
    if (rules.isVerbatim(node)) return
    for (const attribute of node.attributes ?? []) this.#attribute(attribute, node)
    for (const name of ['test', 'expression', 'key', 'context']) if (node[name]?.type) this.#script(node[name])
    if (isInSentence && isPartOfSentence(node)) {
      for (const child of node.fragment.nodes) this.#markup(child, true)
      return
    }
    for (const name of ['consequent', 'alternate', 'body', 'fallback', 'pending', 'then', 'catch', 'fragment']) {
      if (node[name]?.nodes) this.#fragment(node[name].nodes)
    }
  }

  /** Translates a run of texts, expressions and inline elements as one message. @param {Node[]} run */
  #sentence(run) {
    const parts = new Parts()
    const message = this.#compose(run, parts).trim()
    const translation = this.#translate(message)
    if (typeof translation !== 'string') return
    const [first, last] = [run[0], run.at(-1)]
    const start = first.type === 'Text' ? first.start + leadingSpace(first.raw) : first.start
    const end = last.type === 'Text' ? last.end - trailingSpace(last.raw) : last.end
    this.#edits.replace(start, end, fill(translation, parts, escapeMarkup))
  }

  /** Returns the message of a run, and collects its placeholders and elements. @param {Node[]} run @param {Parts} parts @returns {string} */
  #compose(run, parts) {
    return run
      .filter(({ type }) => type !== 'Comment')
      .map((node) => {
        if (node.type === 'Text') return node.data.replaceAll(/[ \t\r\n]+/g, ' ')
        if (node.type === 'ExpressionTag') {
          if (node.expression.type === 'Literal') return String(node.expression.value)
          return parts.placeholder(nameOf(node.expression), this.#edits.apply(node.start, node.end))
        }
        const children = node.fragment?.nodes ?? []
        if (!isPartOfSentence(node)) return parts.element(this.#edits.apply(node.start, node.end))
        const inner = this.#edits
        const open = inner.apply(node.start, children[0].start)
        const close = inner.apply(children.at(-1).end, node.end)
        const tag = parts.pair(open, close)
        return `<${tag}>${this.#compose(children, parts)}</${tag}>`
      })
      .join('')
  }

  /** @param {Node} attribute @param {Node} element */
  #attribute(attribute, element) {
    if (attribute.type === 'StyleDirective' || attribute.type === 'ClassDirective') return
    if (attribute.type !== 'Attribute') {
      for (const name of ['expression', 'value']) {
        for (const node of [attribute[name]].flat())
          if (node?.type) this.#script(node.type === 'ExpressionTag' ? node.expression : node)
      }
      return
    }
    const { name, value } = attribute
    if (value === true || rules.isTechnical(name)) return
    const values = [value].flat()
    const isShown = rules.isShownAttribute(name)
    for (const node of values) {
      if (node.type !== 'ExpressionTag') continue
      if (isShown) this.#shown(node.expression)
      else this.#script(node.expression)
    }
    if (values.length === 1 && values[0].type === 'ExpressionTag') return
    const parts = new Parts()
    const message = this.#compose(values, parts).trim()
    const known = isShown
      ? rules.hasLetter(withoutPlaceholders(message))
      : element.type === 'Component' && rules.isText(message.replaceAll(PLACEHOLDERS, '1'))
    if (!known) return
    const translation = this.#translate(message)
    if (typeof translation !== 'string') return
    const [start, end] = [values[0].start, values.at(-1).end]
    this.#edits.replace(start, end, fill(translation, parts, escapeAttribute))
  }

  // Scripts

  /** An expression whose value is shown: its strings are texts whatever they look like. @param {Node} node */
  #shown(node) {
    switch (node.type) {
      case 'Literal':
        if (typeof node.value === 'string' && rules.hasLetter(node.value)) this.#literal(node)
        return
      case 'TemplateLiteral':
        this.#template(node, rules.hasLetter)
        return
      case 'ConditionalExpression':
        this.#script(node.test)
        this.#shown(node.consequent)
        this.#shown(node.alternate)
        return
      case 'LogicalExpression':
        if (node.operator === '??' || node.operator === '||') this.#shown(node.left)
        else this.#script(node.left)
        this.#shown(node.right)
        return
      case 'TSAsExpression':
      case 'TSNonNullExpression':
        this.#shown(node.expression)
        return
    }
    this.#script(node)
  }

  /** @param {Node} node */
  #script(node) {
    if (rules.isValue(this.#code.slice(0, node.start))) return
    switch (node.type) {
      case 'Literal':
        if (typeof node.value !== 'string') return
        if (rules.isText(node.value) || rules.isMarked(this.#code.slice(0, node.start))) this.#literal(node)
        return
      case 'TemplateLiteral':
        this.#template(node, (text) => rules.isText(text) || rules.isMarked(this.#code.slice(0, node.start)))
        return
      case 'ImportDeclaration':
      case 'ImportExpression':
      case 'ExportAllDeclaration':
      case 'TaggedTemplateExpression':
      case 'TSInterfaceDeclaration':
      case 'TSTypeAliasDeclaration':
      case 'TSDeclareFunction':
        return
      case 'ExportNamedDeclaration':
        if (node.declaration) this.#script(node.declaration)
        return
      case 'BinaryExpression':
        // Compared strings are values.
        if (['===', '!==', '==', '!=', 'in'].includes(node.operator)) {
          for (const side of [node.left, node.right]) if (side.type !== 'Literal') this.#script(side)
          return
        }
        break
      case 'SwitchCase':
        for (const statement of node.consequent) this.#script(statement)
        return
      case 'MemberExpression':
        this.#script(node.object)
        if (node.computed && node.property.type !== 'Literal') this.#script(node.property)
        return
      case 'Property':
      case 'PropertyDefinition':
      case 'MethodDefinition':
        if (node.computed) this.#script(node.key)
        if (node.value && !(node.key.type === 'Identifier' && rules.isTechnicalProperty(node.key.name))) {
          if (node.key.type === 'Identifier' && rules.isShownAttribute(node.key.name)) this.#shown(node.value)
          else this.#script(node.value)
        }
        return
      case 'NewExpression':
      case 'CallExpression':
        return this.#call(node)
    }
    for (const child of childrenOf(node)) this.#script(child)
  }

  /** @param {Node} node */
  #call(node) {
    this.#script(node.callee)
    const name = node.callee.property?.name ?? node.callee.name
    if (node.callee.object?.name === 'Intl' || rules.isTechnicalCall(name)) {
      for (const argument of node.arguments) if (argument.type.endsWith('FunctionExpression')) this.#script(argument)
      return
    }
    const forms = node.arguments.slice(1)
    if (
      rules.isPlural(name) &&
      forms.length > 1 &&
      forms.every((/** @type {Node} */ form) => typeof form.value === 'string')
    ) {
      this.#script(node.arguments[0])
      const translation = this.#translate(forms.map((/** @type {Node} */ form) => form.value).join(' || '))
      if (typeof translation !== 'object') return
      const texts = FORMS.flatMap((form) => translation[form] ?? [])
        .map(quote)
        .join(', ')
      this.#edits.replace(forms[0].start, forms.at(-1).end, texts)
      return
    }
    for (const argument of node.arguments) {
      if (name === 'join') this.#shown(argument)
      else this.#script(argument)
    }
  }

  /** @param {Node} node */
  #literal(node) {
    const translation = this.#translate(node.value)
    if (typeof translation === 'string') this.#edits.replace(node.start, node.end, quote(translation))
  }

  /** @param {Node} node @param {(text: string) => boolean} isMessage */
  #template(node, isMessage) {
    const texts = node.quasis.map((/** @type {Node} */ quasi) => quasi.value.cooked ?? '')
    // The pieces decide, because placeholders may hold anything.
    const isOne = isMessage(texts.join('1'))
    for (const expression of node.expressions) {
      if (isOne) this.#shown(expression)
      else this.#script(expression)
    }
    if (!isOne) return
    const parts = new Parts()
    const message = texts
      .map((/** @type {string} */ text, /** @type {number} */ index) => {
        const expression = node.expressions[index]
        if (expression === undefined) return text
        return (
          text + parts.placeholder(nameOf(expression), `\${${this.#edits.apply(expression.start, expression.end)}}`)
        )
      })
      .join('')
    const translation = this.#translate(message)
    if (typeof translation !== 'string') return
    this.#edits.replace(node.start, node.end, `\`${fill(translation, parts, escapeTemplate)}\``)
  }
}

/** The placeholders and elements of a message with their sources */
class Parts {
  /** @type {Map<string, string>} */
  sources = new Map()
  #tags = 0

  /** @param {string} name @param {string} source */
  placeholder(name, source) {
    let unique = name
    for (let at = 2; this.sources.has(`{${unique}}`) && this.sources.get(`{${unique}}`) !== source; at += 1)
      unique = `${name}${at}`
    this.sources.set(`{${unique}}`, source)
    return `{${unique}}`
  }

  /** @param {string} source */
  element(source) {
    const name = `<${this.#tags++}/>`
    this.sources.set(name, source)
    return name
  }

  /** @param {string} open @param {string} close */
  pair(open, close) {
    const tag = this.#tags++
    this.sources.set(`<${tag}>`, open)
    this.sources.set(`</${tag}>`, close)
    return tag
  }
}

/** The plural categories in the order of `web/src/words/numbers.ts` */
const FORMS = ['zero', 'one', 'two', 'few', 'many', 'other']
const PLACEHOLDERS = /\{[\p{L}\p{N}_$/]+\}|<\/?\d+\/?>/gu

/**
 * Returns the placeholders and elements of a message, sorted.
 * @param {string} message
 */
export function placeholdersOf(message) {
  return (message.match(PLACEHOLDERS) ?? []).sort()
}

/** @param {string} message */
export function withoutPlaceholders(message) {
  return message.replaceAll(PLACEHOLDERS, '')
}

/** @param {string} translation @param {Parts} parts @param {(text: string) => string} encode */
function fill(translation, parts, encode) {
  let at = 0
  let text = ''
  for (const match of translation.matchAll(PLACEHOLDERS)) {
    const source = parts.sources.get(match[0])
    if (source === undefined) continue
    text += encode(translation.slice(at, match.index)) + source
    at = match.index + match[0].length
  }
  return text + encode(translation.slice(at))
}

/** Returns a short name for the value of an expression. @param {Node} node @returns {string} */
function nameOf(node) {
  switch (node?.type) {
    case 'Identifier':
      return node.name
    case 'MemberExpression':
      if (!node.computed) return node.property.name === 'length' ? nameOf(node.object) : node.property.name
      return nameOf(node.object)
    case 'ChainExpression':
    case 'TSNonNullExpression':
    case 'TSAsExpression':
    case 'AwaitExpression':
      return nameOf(node.expression ?? node.argument)
    case 'CallExpression': {
      const [first] = node.arguments
      const inner = first === undefined ? 'x' : nameOf(first)
      if (inner !== 'x') return inner
      return node.callee.type === 'MemberExpression' ? nameOf(node.callee.object) : nameOf(node.callee)
    }
    case 'ConditionalExpression': {
      const texts = [node.consequent, node.alternate].map(({ value }) => value)
      return texts.every((text) => typeof text === 'string' && /^\p{L}+$/u.test(text)) ? texts.join('/') : 'x'
    }
    case 'BinaryExpression':
    case 'LogicalExpression':
      return nameOf(node.left)
    default:
      return 'x'
  }
}

/** Divides the children of an element into runs of one message each. @param {Node[]} nodes */
function sentencesOf(nodes) {
  /** @type {Node[][]} */
  const runs = [[]]
  for (const node of nodes) {
    if (isOfSentence(node)) runs.at(-1)?.push(node)
    else runs.push([])
  }
  return runs.map(trimRun).filter((run) => run.some((node) => node.type === 'Text' && rules.hasLetter(node.data)))
}

/** @param {Node} node */
function isOfSentence(node) {
  return ['Text', 'ExpressionTag', 'Comment', 'IfBlock', 'RenderTag'].includes(node.type) || rules.isInline(node)
}

/** Returns whether the children of an element are texts of the sentence that contains the element. @param {Node} node */
function isPartOfSentence(node) {
  const children = node.fragment?.nodes ?? []
  return rules.isInline(node) && children.length > 0 && children.every(isOfSentence)
}

/** Removes spaces, icons and blocks from the ends of a run. @param {Node[]} run */
function trimRun(run) {
  const isOuter = (/** @type {Node} */ node) =>
    node.type === 'Text' ? node.data.trim() === '' : node.type !== 'ExpressionTag' && !hasWords(node)
  const start = run.findIndex((node) => !isOuter(node))
  const end = run.findLastIndex((node) => !isOuter(node))
  return start === -1 ? [] : run.slice(start, end + 1)
}

/** @param {Node} node @returns {boolean} */
function hasWords(node) {
  return (node.fragment?.nodes ?? []).some(
    (/** @type {Node} */ child) =>
      (child.type === 'Text' && rules.hasLetter(child.data)) || child.type === 'ExpressionTag' || hasWords(child),
  )
}

/** Returns the expressions and statements below a node, without types. @param {Node} node */
function childrenOf(node) {
  return Object.values(node)
    .flat()
    .filter((child) => typeof child?.type === 'string' && !/^TS(?!As|Satisfies|NonNull)/.test(child.type))
}

/** @param {string} text */
const leadingSpace = (text) => /^(?:\s|&nbsp;)*/.exec(text)?.[0].length ?? 0
/** @param {string} text */
const trailingSpace = (text) => /(?:\s|&nbsp;)*$/.exec(text)?.[0].length ?? 0
/** @param {string} text */
const quote = (text) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`
/** @param {string} text */
const escapeMarkup = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('{', '&#123;')
/** @param {string} text */
const escapeAttribute = (text) => escapeMarkup(text).replaceAll('"', '&quot;')
/** @param {string} text */
const escapeTemplate = (text) => text.replaceAll('\\', '\\\\').replaceAll('`', '\\`').replaceAll('${', '\\${')
