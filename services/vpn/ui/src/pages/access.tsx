import { PageHeader } from '@hearth/ui'
import { DefaultSwitches } from '../access/default-switches.tsx'
import { Groups } from '../access/groups.tsx'
import { QuestionBox } from '../access/question-box.tsx'
import { Rules } from '../access/rules.tsx'

/** Which devices reach which others, networks and the internet. */
export function AccessPage() {
  return (
    <>
      <PageHeader title="Access" description="Which devices reach which others, your networks and the internet" />
      <div className="hearth-stack">
        <Rules />
        <DefaultSwitches />
        <Groups />
        <QuestionBox />
      </div>
    </>
  )
}
