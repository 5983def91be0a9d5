import { stringify } from 'yaml'
import { CHOICES, type TestDefinition, type TestSection, UNLIMITED } from '../../tests/definition.js'
import type { Translation } from '../types.js'
import { writeTranslation } from './translation.js'
import { writeFrontMatter } from './write-front-matter.js'

/**
 * Writes a test file from which `parseTest` returns the same test.
 * @param slug undefined if the file name implies it
 * @example writeTest({ definition, draft: false }, 'git') // '---\nslug: git\nname: Git\n…'
 */
export function writeTest({ definition, draft, ...translation }: WrittenTest, slug: string | undefined): string {
  if (translation.translation_of != null) return writeVariant({ definition, draft, ...translation }, slug)
  const { name, description, introduction, attempts, wait_minutes, time_limit_minutes, opens, closes } = definition
  const head = writeFrontMatter({
    ...(slug !== undefined && { slug }),
    name,
    ...(description !== '' && { description }),
    pass_percent: definition.pass_percent,
    ...chosen(definition, 'multiple'),
    attempts: attempts ?? UNLIMITED,
    ...(wait_minutes > 0 && { wait_minutes }),
    ...(time_limit_minutes !== null && { time_limit_minutes }),
    ...(!definition.shuffle && { shuffle: false }),
    ...chosen(definition, 'pages'),
    ...chosen(definition, 'access'),
    ...chosen(definition, 'review'),
    ...chosen(definition, 'review_when'),
    ...(opens !== null && { opens }),
    ...(closes !== null && { closes }),
    ...writeTranslation(translation),
    ...(draft && { draft }),
  })
  const sections = definition.sections.map((section) => `  - ${writeSection(section)}\n`)
  const body = introduction === '' ? '' : `${introduction}\n`
  return `${head.slice(0, -'---\n'.length)}sections:\n${sections.join('')}---\n${body}`
}

interface WrittenTest extends Partial<Pick<Translation, 'lang' | 'translation_of'>> {
  definition: TestDefinition
  draft: boolean
}

function writeVariant({ definition, draft, ...translation }: WrittenTest, slug: string | undefined): string {
  const { name, description, introduction } = definition
  const head = writeFrontMatter({
    ...(slug !== undefined && { slug }),
    name,
    ...(description !== '' && { description }),
    ...writeTranslation(translation),
    ...(draft && { draft }),
  })
  return introduction === '' ? head : `${head}${introduction}\n`
}

function chosen(definition: TestDefinition, key: keyof typeof CHOICES): Record<string, string> {
  return definition[key] === CHOICES[key][0] ? {} : { [key]: definition[key] }
}

/**
 * Writes a section as a YAML mapping on one line.
 * @example writeSection({ deck: 'git', level: null, cards: null, draw: 8 }) // '{ deck: git, draw: 8 }'
 */
function writeSection({ deck, level, cards, draw }: TestSection): string {
  const section = {
    deck,
    ...(level !== null && { level }),
    ...(cards !== null && { cards }),
    ...(draw !== null && { draw }),
  }
  return stringify(section, { collectionStyle: 'flow', lineWidth: 0, version: '1.2' }).trimEnd()
}
