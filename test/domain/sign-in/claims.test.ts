import t from 'tap'
import { type ClaimRules, explainMissingGroups, isComplete, readProfile } from '../../../src/domain/sign-in/claims.js'
import { countIdentities, countLoginMethods } from '../../../src/domain/sign-in/login-methods.js'
import { anyCharacter } from '../../support/arbitraries.js'
import fc, { runs } from '../../support/property.js'

const RULES: ClaimRules = {
  usernameClaim: 'preferred_username',
  nameClaim: 'name',
  admin: undefined,
  author: undefined,
  auditor: undefined,
  groupsClaim: undefined,
  personnelClaim: undefined,
}
const WITH_GROUPS: ClaimRules = { ...RULES, groupsClaim: 'groups' }
const withAdmin = (claim: string): ClaimRules => ({ ...RULES, admin: { claim, value: 'admins' } })

t.test('a parsed name is valid for an account', async () => {
  const anything = fc.oneof(fc.string({ unit: anyCharacter, maxLength: 300 }), fc.jsonValue())
  fc.assert(
    fc.property(anything, anything, (preferred_username, name) => {
      let profile: ReturnType<typeof readProfile>
      try {
        profile = readProfile({ preferred_username, name }, RULES)
      } catch (error) {
        return (error as { code?: string }).code === 'name_ungueltig'
      }
      const names = [profile.username, profile.displayName].filter((text) => text !== undefined)
      return names.every((text) => {
        const length = [...text].length
        return length >= 1 && length <= 200 && text.trim() === text && text.isWellFormed() && !/\p{Cc}/u.test(text)
      })
    }),
    { numRuns: runs(300) },
  )
})

t.test('the claim decides about administrators, or makes no decision', async (t) => {
  const isAdmin = (claims: object, rules: ClaimRules) => readProfile({ ...claims }, rules).isAdmin
  t.equal(isAdmin({ groups: ['admins'] }, RULES), undefined)
  for (const [claims, expected] of [
    [{ groups: ['a', 'admins'] }, true],
    [{ groups: 'admins' }, true],
    [{ groups: ['Admins', 'admins2'] }, false],
    [{ groups: [['admins']] }, false],
    [{ groups: { admins: true } }, false],
    [{ groups: null }, false],
    [{}, false],
    [{ _claim_names: { groups: 'src1' } }, undefined],
  ] as const) {
    t.equal(isAdmin(claims, withAdmin('groups')), expected, JSON.stringify(claims))
  }
  t.equal(isAdmin({ realm_access: { roles: ['admins'] } }, withAdmin('realm_access.roles')), true)
  t.equal(isAdmin({ 'https://a.example/roles': 'admins' }, withAdmin('https://a.example/roles')), true, 'dots and all')
  t.equal(isAdmin({}, withAdmin('constructor.name')), false, 'only claims count')
  t.equal(readProfile({ yes: true }, { ...RULES, admin: { claim: 'yes', value: 'true' } }).isAdmin, true)
})

t.test('the claim decides about authors independently of administrators', async (t) => {
  const rules: ClaimRules = { ...withAdmin('groups'), author: { claim: 'roles', value: 'trainers' } }
  const rightsOf = (claims: object) => {
    const { isAdmin, isAuthor } = readProfile({ ...claims }, rules)
    return { isAdmin, isAuthor }
  }
  t.strictSame(rightsOf({ groups: ['trainers'], roles: ['a', 'trainers'] }), { isAdmin: false, isAuthor: true })
  t.strictSame(rightsOf({ groups: ['admins'], roles: 'admins' }), { isAdmin: true, isAuthor: false })
  t.strictSame(rightsOf({ _claim_names: { roles: 'src1' } }), { isAdmin: false, isAuthor: undefined })
  t.equal(readProfile({ roles: 'trainers' }, withAdmin('groups')).isAuthor, undefined)
  t.equal(isComplete({ preferred_username: 'a', name: 'b', groups: [] }, rules), false, 'the claim is requested')
})

t.test('takes an address unless the provider says that it is not verified', async (t) => {
  const email = 'erika@example.org'
  for (const [claims, expected] of [
    [{ email }, email],
    [{ email, email_verified: true }, email],
    [{ email, email_verified: 'true' }, email],
    [{ email, email_verified: false }, undefined],
    [{ email, email_verified: 'false' }, undefined],
    [{ email: 'erika' }, undefined],
    [{ email: [email] }, undefined],
    [{}, undefined],
  ] as const) {
    t.equal(readProfile(claims, RULES).email, expected, JSON.stringify(claims))
  }
})

t.test('missing claims are requested', async (t) => {
  t.equal(isComplete({ preferred_username: 'a', name: 'b' }, RULES), true)
  t.equal(isComplete({ preferred_username: 'a' }, RULES), false)
  t.equal(isComplete({ preferred_username: 'a', name: 'b' }, withAdmin('groups')), false)
})

t.test('methods that are not offered do not count', async (t) => {
  const none = { password: false, passkey_only: false, emergency: false, passkeys: 0, identities: 0 }
  const all = { password: true, passkeys: true, oidc: 'https://a.example' }
  t.equal(countLoginMethods({ ...none, password: true, passkeys: 2, identities: 1 }, all), 4)
  t.equal(countLoginMethods({ ...none, password: true, passkey_only: true }, all), 0)
  t.equal(countLoginMethods({ ...none, password: true }, { ...all, password: false }), 0)
  t.equal(countLoginMethods({ ...none, password: true, emergency: true }, { ...all, password: false }), 1)
  t.equal(countLoginMethods({ ...none, identities: 1 }, { ...all, oidc: undefined }), 0)
  t.equal(countLoginMethods({ ...none, passkeys: 1 }, { ...all, passkeys: false }), 0)
})

t.test('only identities of the configured issuer count, with or without a trailing slash', async (t) => {
  const issuers = ['https://a.example/', 'https://a.example', 'https://b.example', 'https://a.example/realms/x', 'old']
  t.equal(countIdentities(issuers, 'https://a.example'), 2)
  t.equal(countIdentities(issuers, 'https://A.example/.well-known/openid-configuration'), 2)
  t.equal(countIdentities(issuers, 'https://a.example/realms/x'), 1)
  t.equal(countIdentities(issuers, undefined), 0)
})

t.test('groups are texts or numbers, each once; a missing claim is not an empty list', async (t) => {
  const groupsOf = (claims: Record<string, unknown>) => readProfile(claims, WITH_GROUPS).groups
  t.strictSame(groupsOf({ groups: ['a', 7, 'a', null, { id: 'b' }, 'x\0'] }), ['a', '7'])
  t.strictSame(groupsOf({ groups: 'a' }), ['a'])
  t.strictSame(groupsOf({ groups: [] }), [])
  t.equal(groupsOf({}), undefined)
  t.equal(groupsOf({ groups: null }), undefined)
  t.equal(readProfile({ groups: ['a'] }, RULES).groups, undefined)
})

t.test('says why the groups are unknown', async (t) => {
  const cut = { _claim_names: { groups: 'src1' }, _claim_sources: { src1: {} } }
  t.match(explainMissingGroups(cut, WITH_GROUPS), /too long/)
  t.match(explainMissingGroups({}, WITH_GROUPS), /does not send/)
  t.equal(explainMissingGroups({ groups: [] }, WITH_GROUPS), undefined)
  t.equal(explainMissingGroups({}, RULES), undefined)
})
