// terraform-provider-iam_vX.exe: the Terraform provider iam on Windows, started by Terraform or
// OpenTofu: the counterpart of launcher.sh, without the hand-over.
//
// It starts Node.js, that of its own folder or else of PATH, with the main.cjs in its own folder and
// ends together with it. Its settings come from the same files as those of launcher.sh:
// lib/build/windows-launcher.mjs compiles it with them and describes how. It needs no C runtime:
// every Windows has its imports.
#define UNICODE
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

// The longest value of a variable, and the longest path.
#define LONGEST 32767
// The provider has ten seconds to release everything that it holds.
#define GIVE_BACK_MS 11000

LONG NTAPI NtQueryInformationProcess(HANDLE, int, void *, ULONG, ULONG *);

static const wchar_t *const removed[] = {REMOVED_VARIABLES};
static wchar_t folder[LONGEST + 1];
static wchar_t path[LONGEST + 1];
static wchar_t node[LONGEST + 1];
static wchar_t authorities[LONGEST + 1];
static wchar_t command[2 * LONGEST];

// Terraform prints the output of a provider that does not begin with a handshake line.
static void say(const char *text) {
  DWORD written;
  WriteFile(GetStdHandle(STD_OUTPUT_HANDLE), text, (DWORD)lstrlenA(text), &written, NULL);
}

static void say_number(DWORD number) {
  char digits[11];
  char *first = digits + 10;
  *first = 0;
  do *--first = (char)('0' + number % 10);
  while ((number /= 10) != 0);
  say(first);
}

// Ctrl-C reaches the provider as well, and Terraform ends its providers itself. When a console is
// closed, Node.js gives the provider a SIGHUP; once a handler returns, Windows ends its process.
static BOOL WINAPI leave_to_provider(DWORD event) {
  if (event != CTRL_C_EVENT && event != CTRL_BREAK_EVENT) Sleep(INFINITE);
  return TRUE;
}

static BOOL contains(const wchar_t *text, const wchar_t *part) {
  for (; *text != 0; text++)
    for (size_t i = 0; part[i] == text[i]; i++)
      if (part[i + 1] == 0) return TRUE;
  return FALSE;
}

// Removes variables that would make Node.js load, print or trust something else.
static void clean_environment(void) {
  if (GetEnvironmentVariableW(L"NODE_EXTRA_CA_CERTS", authorities, LONGEST) != 0)
    SetEnvironmentVariableW(EXTRA_CA_VARIABLE, authorities);
  // Of the options, one is passed on: whom to trust.
  if (GetEnvironmentVariableW(L"NODE_OPTIONS", authorities, LONGEST) != 0 &&
      contains(authorities, L"--use-system-ca"))
    SetEnvironmentVariableW(L"NODE_USE_SYSTEM_CA", L"1");
  for (size_t i = 0; i < sizeof removed / sizeof *removed; i++)
    SetEnvironmentVariableW(removed[i], NULL);
}

static BOOL is_separator(wchar_t character) { return character == L'\\' || character == L'/'; }

// With a drive and a separator, or on another machine. "C:" and "C:folder" would start from the
// current folder of that drive.
static BOOL is_absolute(const wchar_t *at) {
  if (at[0] == 0) return FALSE;
  return at[1] == L':' ? is_separator(at[2]) : at[0] == L'\\' && at[1] == L'\\';
}

static BOOL is_file(const wchar_t *name) {
  DWORD attributes = GetFileAttributesW(name);
  return attributes != INVALID_FILE_ATTRIBUTES && !(attributes & FILE_ATTRIBUTE_DIRECTORY);
}

// The archives of the registry have Node.js in them.
static BOOL has_node(void) {
  if (lstrlenW(folder) > LONGEST - 16) return FALSE;
  lstrcpyW(node, folder);
  lstrcatW(node, L"node\\node.exe");
  return is_file(node);
}

// Searches only the folders of PATH for node.exe. SearchPath and CreateProcess would also search
// the current folder, which is the stack's: this process must not run a program from there.
static BOOL find_node(void) {
  DWORD length = GetEnvironmentVariableW(L"PATH", path, LONGEST);
  if (length == 0 || length >= LONGEST) return FALSE;
  for (wchar_t *from = path; from != NULL;) {
    wchar_t *to = node;
    BOOL quoted = FALSE;
    for (; *from != 0 && (quoted || *from != L';'); from++) {
      if (*from == L'"') quoted = !quoted;
      else if (to < node + LONGEST - 16) *to++ = *from;
    }
    from = *from == 0 ? NULL : from + 1;
    *to = 0;
    if (!is_absolute(node)) continue;
    if (!is_separator(to[-1])) lstrcatW(node, L"\\");
    lstrcatW(node, L"node.exe");
    if (is_file(node)) return TRUE;
  }
  return FALSE;
}

// The folder of this program, with a separator at the end.
static BOOL find_folder(void) {
  DWORD length = GetModuleFileNameW(NULL, folder, LONGEST);
  if (length == 0 || length >= LONGEST) return FALSE;
  while (length > 0 && !is_separator(folder[length - 1])) length--;
  folder[length] = 0;
  return TRUE;
}

static ULONGLONG start_of(HANDLE process) {
  FILETIME start, exit, kernel, user;
  if (!GetProcessTimes(process, &start, &exit, &kernel, &user)) return 0;
  return (ULONGLONG)start.dwHighDateTime << 32 | start.dwLowDateTime;
}

// Terraform, or NULL if it has gone already: its id may then belong to a younger process.
static HANDLE open_parent(void) {
  ULONG_PTR basic[6] = {0};
  ULONG length;
  if (NtQueryInformationProcess(GetCurrentProcess(), 0, basic, sizeof basic, &length) != 0)
    return NULL;
  DWORD access = SYNCHRONIZE | PROCESS_QUERY_LIMITED_INFORMATION;
  HANDLE parent = OpenProcess(access, FALSE, (DWORD)basic[5]);
  if (parent != NULL && start_of(parent) > start_of(GetCurrentProcess())) {
    CloseHandle(parent);
    return NULL;
  }
  return parent;
}

// From now on, processes that this one starts end with it, however it ends.
static void bind_children(void) {
  HANDLE job = CreateJobObjectW(NULL, NULL);
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits;
  ZeroMemory(&limits, sizeof limits);
  limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
  SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits);
  AssignProcessToJobObject(job, GetCurrentProcess());
}

static HANDLE start_node(void) {
  lstrcpyW(command, L"node " NODE_ARGUMENTS L" \"");
  lstrcatW(command, folder);
  lstrcatW(command, L"main.cjs\"");
  STARTUPINFOW startup;
  ZeroMemory(&startup, sizeof startup);
  startup.cb = sizeof startup;
  startup.dwFlags = STARTF_USESTDHANDLES;
  startup.hStdInput = GetStdHandle(STD_INPUT_HANDLE);
  startup.hStdOutput = GetStdHandle(STD_OUTPUT_HANDLE);
  startup.hStdError = GetStdHandle(STD_ERROR_HANDLE);
  PROCESS_INFORMATION started;
  if (!CreateProcessW(node, command, NULL, NULL, TRUE, 0, NULL, NULL, &startup, &started))
    return NULL;
  CloseHandle(started.hThread);
  return started.hProcess;
}

void entry(void) {
  // A crash neither opens a window that waits for somebody nor is reported.
  SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX);
  clean_environment();
  BOOL is_found = find_folder();
  if (!(is_found && has_node()) && !find_node()) {
    say("The Terraform provider iam needs Node.js " MINIMUM_NODE
        " or newer, and there is no \"node.exe\" in PATH.\n");
    ExitProcess(1);
  }
  bind_children();
  SetConsoleCtrlHandler(leave_to_provider, TRUE);
  HANDLE provider = is_found ? start_node() : NULL;
  if (provider == NULL) {
    DWORD error = GetLastError();
    say("The Terraform provider iam cannot start Node.js (Windows error ");
    say_number(error);
    say(").\n");
    ExitProcess(1);
  }
  HANDLE awaited[] = {provider, open_parent()};
  DWORD count = awaited[1] == NULL ? 1 : 2;
  if (WaitForMultipleObjects(count, awaited, FALSE, INFINITE) != WAIT_OBJECT_0) {
    // Terraform has gone, which the provider notices by its connection.
    WaitForSingleObject(provider, GIVE_BACK_MS);
    ExitProcess(1);
  }
  DWORD code = 1;
  GetExitCodeProcess(provider, &code);
  ExitProcess(code);
}

// The compiler assumes that it exists.
void *memset(void *at, int byte, size_t count) {
  volatile char *next = at;
  while (count-- > 0) *next++ = (char)byte;
  return at;
}
