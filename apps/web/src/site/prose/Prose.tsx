import type { MdxModule } from './content.ts'
import { proseComponents } from './components.tsx'

interface ProseProps {
  readonly body: MdxModule['default']
  /** Parts that only this kind of page has. */
  readonly parts?: object
}

export function Prose({ body: Body, parts }: ProseProps) {
  return <Body components={{ ...proseComponents, ...parts }} />
}
