import { buttonClass } from '../../ui/button-class.ts'
import { NotBuilt } from '../shell/NotBuilt.tsx'

export function SupportScreen() {
  return (
    <NotBuilt
      heading="Support"
      purpose="Here you will open tickets and read the answers, with the instance they are about beside them."
      action={
        <div className="flex flex-wrap gap-2">
          <a href="/documentation" className={buttonClass()}>
            Documentation
          </a>
          <a href="/contact" className={buttonClass()}>
            Contact
          </a>
        </div>
      }
    >
      <p>
        Tickets are not built yet. Meanwhile, write to us through the contact page from the address of your
        account, and add the request id that an error shows: with it we find what happened.
      </p>
    </NotBuilt>
  )
}
