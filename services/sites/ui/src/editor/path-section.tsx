import { kindNames } from '../sites/site-words.ts'
import { blankPath } from './blank-draft.ts'
import { SelectField, SwitchField, TextField, useEditing } from './fields.tsx'
import { HeaderRows } from './header-section.tsx'
import { RowList } from './row-list.tsx'
import { ServerSection } from './server-section.tsx'
import { redirectCodes, TargetFields } from './target-fields.tsx'

const pathKinds = (['proxy', 'redirect', 'static', 'respond'] as const).map((value) => ({
  value,
  label: kindNames[value],
}))

/** Paths that are served otherwise than the rest of the site. */
export function PathSection() {
  return (
    <RowList
      path="paths"
      noun="path"
      addLabel="Add a path"
      blank={blankPath}
      max={50}
      isTall
      empty="Every path is served alike."
      render={(path, place) => <PathFields path={path} place={place} />}
    />
  )
}

function PathFields({ path, place }: { path: string; place: number }) {
  const { draft } = useEditing()
  const kind = draft.paths[place]?.kind ?? 'proxy'
  return (
    <fieldset className="path-fields">
      <legend>Path {place + 1}</legend>
      <div className="field-columns">
        <SelectField
          path={`${path}.match`}
          label="Matches"
          options={[
            { value: 'prefix', label: 'The path and all below' },
            { value: 'exact', label: 'Exactly the path' },
          ]}
        />
        <TextField path={`${path}.path`} label="Path" placeholder="/api" isMono />
        <SelectField path={`${path}.kind`} label="Type" options={pathKinds} />
      </div>
      <TargetFields prefix={`${path}.`} kind={kind} />
      <SwitchField path={`${path}.strip`} label="Take the path off before the request goes on" />
      <details className="folded">
        <summary>Headers{kind === 'proxy' && ', balancing, health, connection'}</summary>
        <div className="field-stack">
          <HeaderRows prefix={`${path}.`} />
          {kind === 'proxy' && <ServerSection prefix={`${path}.`} />}
        </div>
      </details>
    </fieldset>
  )
}

/** Single paths that are redirected. */
export function RedirectSection() {
  return (
    <RowList
      path="redirects"
      noun="redirect"
      addLabel="Add a redirect"
      blank={{ from: '', to: '', code: 308, keep_path: false }}
      max={100}
      empty="No path is redirected."
      render={(path, place) => (
        <div className="field-columns">
          <TextField path={`${path}.from`} label={`From ${place + 1}`} placeholder="/old/*" isMono />
          <TextField path={`${path}.to`} label={`To ${place + 1}`} placeholder="/new" isMono />
          <SelectField path={`${path}.code`} label={`Status ${place + 1}`} options={redirectCodes} />
          <SwitchField path={`${path}.keep_path`} label="Append what followed" />
        </div>
      )}
    />
  )
}
