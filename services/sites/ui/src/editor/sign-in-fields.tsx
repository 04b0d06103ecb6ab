import { answer } from '@hearth/ui'
import { useQuery } from '@tanstack/react-query'
import { api, keys } from '../api.ts'
import { blankSignIn, blankSignInRule } from './blank-draft.ts'
import { ListField, PartSwitch, SelectField, TextField, useEditing } from './fields.tsx'
import { RowList } from './row-list.tsx'

/** Fields of a protected site: who may visit it after signing in, and exceptions. */
export function SignInFields() {
  const { draft } = useEditing()
  const { data: groups } = useQuery({
    queryKey: keys.groups,
    queryFn: () => answer(api.GET('/api/v1/portal/groups')),
  })
  const names = (groups ?? []).map(({ name }) => name).join(', ')
  return (
    <>
      <PartSwitch
        path="sign_in"
        blank={blankSignIn}
        label="Visitors sign in first"
        description="At the portal: a site of the type Portal, such as auth.example.com"
      />
      {draft.sign_in !== null && (
        <div className="field-inset">
          <ListField
            path="sign_in.groups"
            label="Groups that may visit"
            placeholder="every user"
            description={
              names === ''
                ? 'There are no groups yet; see the page Access'
                : `Without one every user. There are: ${names}`
            }
            max={64}
          />
          <RowList
            path="sign_in.rules"
            noun="rule"
            addLabel="Add a rule"
            blank={blankSignInRule}
            max={50}
            isTall
            empty="No exceptions: the groups decide about every request."
            render={(path, place) => <RuleFields path={path} place={place} />}
          />
        </div>
      )}
    </>
  )
}

const accessOptions = [
  { value: 'open', label: 'Open to everybody' },
  { value: 'sign_in', label: 'Sign-in' },
  { value: 'denied', label: 'Denied to everybody' },
]

function RuleFields({ path, place }: { path: string; place: number }) {
  const { draft } = useEditing()
  return (
    <fieldset className="path-fields">
      <legend>Rule {place + 1}</legend>
      <div className="field-columns">
        <SelectField
          path={`${path}.match`}
          label="Matches"
          options={[
            { value: 'prefix', label: 'The path and all below' },
            { value: 'exact', label: 'Exactly the path' },
          ]}
        />
        <TextField path={`${path}.path`} label="Path" placeholder="/share" isMono />
        <SelectField path={`${path}.access`} label="Access" options={accessOptions} />
      </div>
      <div className="field-columns">
        <ListField path={`${path}.methods`} label="Methods" placeholder="all" max={16} />
        <ListField path={`${path}.networks`} label="Networks of visitors" placeholder="all" max={64} />
        {draft.sign_in?.rules[place]?.access === 'sign_in' && (
          <ListField path={`${path}.groups`} label="Groups" placeholder="every user" max={64} />
        )}
      </div>
    </fieldset>
  )
}
