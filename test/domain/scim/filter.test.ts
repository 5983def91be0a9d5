import t from 'tap'
import { parseFilter, parsePath } from '../../../src/domain/scim/filter.js'
import { ScimRefusal } from '../../../src/domain/scim/refusals.js'
import { isLinear } from '../../support/linear.js'
import fc, { runs } from '../../support/property.js'

const typeOf = (work: () => unknown) => {
  try {
    work()
  } catch (error) {
    return error instanceof ScimRefusal ? error.scimType : error
  }
  return undefined
}

t.test('parses comparisons with eq that are joined with and', async (t) => {
  t.strictSame(parseFilter('userName eq "erika"'), [{ attribute: 'username', value: 'erika' }])
  t.strictSame(parseFilter(' USERNAME  EQ  "a\\"b\\\\" AND active eq True '), [
    { attribute: 'username', value: 'a"b\\' },
    { attribute: 'active', value: true },
  ])
  t.strictSame(parseFilter('emails[type eq "work"].value eq "x@example.org"'), [
    { attribute: 'emails.value', value: 'x@example.org' },
  ])
  t.strictSame(parseFilter('urn:ietf:params:scim:schemas:core:2.0:User:userName eq "x"'), [
    { attribute: 'username', value: 'x' },
  ])
  t.strictSame(
    parseFilter('urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:employeeNumber eq "7" and id eq 7'),
    [
      { attribute: 'enterprise.employeenumber', value: '7' },
      { attribute: 'id', value: '7' },
    ],
  )
  t.strictSame(parseFilter('externalId eq null'), [{ attribute: 'externalid', value: null }])
})

t.test('refuses other filters', async (t) => {
  for (const filter of [
    '',
    'userName',
    'userName eq',
    'userName eq erika',
    'userName eq "erika',
    'userName eq "\\x"',
    'userName ne "erika"',
    'userName pr',
    'userName eq "a" or id eq "1"',
    'userName eq "a" and',
    'not (userName eq "a")',
    '(userName eq "a")',
    'userName eq "a" id eq "1"',
    'emails[type eq "home"].value eq "x"',
  ]) {
    t.equal(
      typeOf(() => parseFilter(filter)),
      'invalidFilter',
      filter,
    )
  }
})

t.test('refuses long filters before it parses them', async (t) => {
  const long = [`userName eq "${'a'.repeat(10_000)}"`, 'userName eq "a" and '.repeat(500), '('.repeat(10_000)]
  for (const filter of long) {
    t.equal(
      typeOf(() => parseFilter(filter)),
      'invalidFilter',
    )
    t.equal(
      typeOf(() => parsePath(filter)),
      'invalidPath',
    )
  }
})

t.test('parses paths in linear time', async (t) => {
  const texts = ['a'.padEnd(1999), `a${' '.repeat(1990)}[`, ' '.repeat(1999), `urn:${'a.'.repeat(990)}!`]
  for (const text of texts) {
    const repeat = (size: number) => {
      for (let at = 0; at < 200; at++) typeOf(() => parsePath(text.slice(0, size - 1) + text.at(-1)))
    }
    t.ok(isLinear(repeat, 2000), JSON.stringify(text.slice(0, 10)))
  }
})

t.test('finds each text again, and refuses or parses any other', async () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 200 }), (value) => {
      const [condition] = parseFilter(`displayName eq ${JSON.stringify(value)}`)
      return condition?.value === value
    }),
    { numRuns: runs(200) },
  )
  fc.assert(
    fc.property(fc.string({ maxLength: 300 }), (text) => {
      for (const parse of [parseFilter, parsePath]) {
        const type = typeOf(() => parse(text))
        if (type !== undefined && type !== 'invalidFilter' && type !== 'invalidPath') return false
      }
      return true
    }),
    { numRuns: runs(500) },
  )
})

t.test('parses paths', async (t) => {
  const path = (attribute: string, filter?: object[], sub?: string) => ({ attribute, filter, sub })
  t.strictSame(parsePath('active'), path('active'))
  t.strictSame(parsePath(' name.givenName '), path('name.givenname'))
  t.strictSame(parsePath('members[value eq "7"]'), path('members', [{ attribute: 'value', value: '7' }]))
  t.strictSame(
    parsePath('emails[type eq "work"].value'),
    path('emails', [{ attribute: 'type', value: 'work' }], 'value'),
  )
  t.strictSame(
    parsePath('urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager'),
    path('enterprise.manager'),
  )
  for (const text of ['', 'a b', 'members[value eq "7"', '[value eq "7"]', '9a', 'a..b']) {
    t.equal(
      typeOf(() => parsePath(text)),
      'invalidPath',
      text,
    )
  }
})
