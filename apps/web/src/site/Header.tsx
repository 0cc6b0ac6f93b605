import { buttonClass } from '../ui/button-class.ts'
import { cx } from '../ui/cx.ts'
import { Mark } from '../ui/Mark.tsx'

const links = [
  { href: '/', label: 'Home' },
  { href: '/products', label: 'Products' },
  { href: '/use-cases', label: 'Use Cases' },
  { href: '/docs', label: 'Docs' },
]

/** Open and close without a script where the browser knows commands; islands/menu.ts stands in where it does not. */
const opens = { command: 'show-modal', commandfor: 'menu' }
const closes = { command: 'close', commandfor: 'menu' }

export function Header({ path }: { readonly path: string }) {
  return (
    <header className="sticky top-0 z-sticky h-header border-b border-transparent bg-page">
      <div className="mx-auto flex h-full max-w-site items-center gap-6 px-4 sm:px-6">
        <Brand />
        <nav aria-label="Main" className="hidden gap-1 lg:flex">
          {links.map(link => (
            <NavLink key={link.href} {...link} path={path} className="h-8 rounded-control px-3" />
          ))}
        </nav>
        <div className="ml-auto flex items-center gap-2">
          <a
            href="/signin"
            data-island="by-session"
            data-signed-in="/dashboard"
            data-signed-in-label="Console"
            className={cx(buttonClass('ghost'), 'max-sm:hidden')}
          >
            Sign In
          </a>
          <a href="/get-started" className={buttonClass('primary')}>
            Get Started
          </a>
          <button type="button" className={cx(buttonClass('ghost'), 'lg:hidden')} {...opens}>
            Menu
          </button>
        </div>
      </div>
      <dialog
        id="menu"
        aria-label="Menu"
        className="fixed inset-0 h-dvh max-h-none w-full max-w-none bg-page text-ink lg:hidden"
      >
        <div className="flex h-header items-center justify-between px-4 sm:px-6">
          <Brand />
          <button type="button" className={buttonClass('ghost')} {...closes}>
            Close
          </button>
        </div>
        <nav aria-label="Menu" className="flex flex-col px-4 sm:px-6">
          {links.map(link => (
            <NavLink
              key={link.href}
              {...link}
              path={path}
              className="h-12 border-b border-line px-0 text-lead"
            />
          ))}
          <a href="/signin" className={cx(buttonClass('secondary', 'l'), 'mt-6')}>
            Sign In
          </a>
          <a href="/get-started" className={cx(buttonClass('primary', 'l'), 'mt-3')}>
            Get Started
          </a>
        </nav>
      </dialog>
    </header>
  )
}

function Brand() {
  return (
    <a href="/" className="flex items-center gap-2 rounded-control text-lead font-bold">
      <Mark />
      Ingot
    </a>
  )
}

interface NavLinkProps {
  readonly href: string
  readonly label: string
  readonly path: string
  readonly className: string
}

function NavLink({ href, label, path, className }: NavLinkProps) {
  return (
    <a
      href={href}
      aria-current={href === path ? 'page' : undefined}
      className={cx('flex items-center font-medium hover:text-link', className)}
    >
      {label}
    </a>
  )
}
