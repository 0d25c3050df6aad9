"""Every error archcount raises on purpose, each one line: what is wrong, where, and the mend.

ArchcountError
├── UsageError               options that cannot go together, a value an option does not take
├── UnknownModelError        no known name, no such path: carries the nearest names
├── ConfigError              a config that cannot be counted
│   ├── ConfigNotFoundError  no such file, or a folder without one
│   ├── ConfigSyntaxError    not JSON, not an object, too deep, not text
│   ├── ConfigValueError     a key missing, of the wrong type, or a size no model can have
│   └── UnknownArchitectureError  a model_type nobody has written a rule for
├── HubError                 the Hub did not give the file
│   ├── RepositoryNotFoundError  no such repository, revision or file
│   ├── RepositoryGatedError     access must be asked for, or a token given
│   └── HubUnreachableError      no network, a server error, or offline mode without a cached copy
├── CheckpointError          weights that cannot be read; `checkpoint.header` draws its own branch
└── UnknownCostError         a cost the marks of a rule do not fix (an unknown kind of cache)
"""


class ArchcountError(Exception):
    """Anything archcount refuses; the message is one line that a user can act on."""


class UsageError(ArchcountError):
    """Options that cannot go together, or a value that an option does not take."""


class UnknownModelError(ArchcountError):
    """Neither a known name, nor a path, nor a repository id."""


class ConfigError(ArchcountError):
    """A config that cannot be counted."""


class ConfigNotFoundError(ConfigError):
    """No such file, or a folder that holds no config."""


class ConfigSyntaxError(ConfigError):
    """Bytes that are not a JSON object."""


class ConfigValueError(ConfigError):
    """A key that is missing, of the wrong type, or a size no model can have."""


class UnknownArchitectureError(ConfigError):
    """A model_type that no rule covers."""


class HubError(ArchcountError):
    """The Hub did not give the file asked for."""


class RepositoryNotFoundError(HubError):
    """No such repository, revision, or file in it."""


class RepositoryGatedError(HubError):
    """The repository wants a token, or its terms accepted."""


class HubUnreachableError(HubError):
    """No network, a server that answers with errors, or offline mode without a cached copy."""


class CheckpointError(ArchcountError):
    """Weights whose headers cannot be read."""


class UnknownCostError(ArchcountError):
    """A cost that the marks of an architecture do not fix."""
